---- MODULE CounterLemmas ----
EXTENDS Counter, TLAPS

LEMMA UpKeeps == ASSUME Bounded, Up PROVE Bounded'
  BY LimitIsNatural DEF Up, Bounded

LEMMA ResetKeeps == ASSUME Reset PROVE Bounded'
  BY LimitIsNatural DEF Reset, Bounded
====
