---- MODULE Pool ----
\* A pool of pages shared by threads: a page has at most one owner.
EXTENDS Naturals
CONSTANTS Threads, Pages, Nobody
VARIABLE owner
Init == owner = [p \in Pages |-> Nobody]
Alloc(t, p) == owner[p] = Nobody /\ owner' = [owner EXCEPT ![p] = t]
Release(p) == owner[p] # Nobody /\ owner' = [owner EXCEPT ![p] = Nobody]
Next ==
    \/ \E t \in Threads, p \in Pages : Alloc(t, p)
    \/ \E p \in Pages : Release(p)
Spec == Init /\ [][Next]_owner
Isolation == \A p \in Pages : owner[p] \in Threads \cup {Nobody}
====
