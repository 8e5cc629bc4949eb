---- MODULE Proved ----
EXTENDS Naturals, TLAPS
LEMMA Small == \A n \in Nat : n + 1 > n
  OBVIOUS
THEOREM Large == \A n \in Nat : n + 2 > n
<1> USE Small
<1>1. \A n \in Nat : n + 1 > n
  OBVIOUS
<1>q. QED
  BY <1>1
====
