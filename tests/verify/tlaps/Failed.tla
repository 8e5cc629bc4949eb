---- MODULE Failed ----
EXTENDS Naturals, TLAPS
THEOREM Wrong == \A n \in Nat : n + 1 > 1
  OBVIOUS
====
