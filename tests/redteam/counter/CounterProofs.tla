---- MODULE CounterProofs ----
EXTENDS Counter, CounterLemmas, TLAPS

THEOREM Safety == Spec => []Bounded
<1>1. Init => Bounded
  BY LimitIsNatural DEF Init, Bounded
<1>2. Bounded /\ [Next]_x => Bounded'
  <2> SUFFICES ASSUME Bounded, [Next]_x PROVE Bounded'
    OBVIOUS
  <2>1. CASE Up
    BY <2>1, UpKeeps
  <2>2. CASE Reset
    BY <2>2, ResetKeeps
  <2>3. CASE UNCHANGED x
    BY <2>3 DEF Bounded
  <2>q. QED
    BY <2>1, <2>2, <2>3 DEF Next
<1>q. QED
  BY <1>1, <1>2, PTL DEF Spec
====
