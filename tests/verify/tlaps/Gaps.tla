---- MODULE Gaps ----
EXTENDS Naturals, TLAPS
LEMMA Admitted == 1 + 1 = 3
  OMITTED
THEOREM False3 == 1 + 1 = 3
  BY Admitted
====
