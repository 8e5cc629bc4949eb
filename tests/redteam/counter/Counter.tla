---- MODULE Counter ----
EXTENDS Naturals
CONSTANT Limit
ASSUME LimitIsNatural == Limit \in Nat
VARIABLE x
Init == x = 0
Up == x < Limit /\ x' = x + 1
Reset == x' = 0
Next == Up \/ Reset
Spec == Init /\ [][Next]_x
Bounded == x \in 0..Limit
====
