---- MODULE Late ----
EXTENDS Naturals, TLAPS
THEOREM Fermat == \A a, b, c \in Nat : a > 0 /\ b > 0 => a * a * a + b * b * b # c * c * c
  BY SMTT(1)
====
