---- MODULE Ledger ----
\* Pages of a KV cache: allocated, filled by a transfer, shared, freed. The size of the trace benchmark.
EXTENDS Naturals
CONSTANTS Pages, Requests, Nobody
VARIABLES state, owner, refs

Init ==
    /\ state = [p \in Pages |-> "free"]
    /\ owner = [p \in Pages |-> Nobody]
    /\ refs = [p \in Pages |-> 0]

\* The ledger gives a free page to request {r}.
Alloc(r, p) ==
    /\ state[p] = "free"
    /\ state' = [state EXCEPT ![p] = "private"]
    /\ owner' = [owner EXCEPT ![p] = r]
    /\ UNCHANGED refs

\* A transfer into the page has ended: it can be shared.
Publish(p) ==
    /\ state[p] = "private"
    /\ state' = [state EXCEPT ![p] = "shared"]
    /\ owner' = [owner EXCEPT ![p] = Nobody]
    /\ refs' = [refs EXCEPT ![p] = 1]

Retain(p) ==
    /\ state[p] = "shared"
    /\ refs' = [refs EXCEPT ![p] = @ + 1]
    /\ UNCHANGED <<state, owner>>

Drop(p) ==
    /\ state[p] = "shared"
    /\ refs[p] > 1
    /\ refs' = [refs EXCEPT ![p] = @ - 1]
    /\ UNCHANGED <<state, owner>>

Free(p) ==
    /\ state[p] = "private" \/ (state[p] = "shared" /\ refs[p] = 1)
    /\ state' = [state EXCEPT ![p] = "free"]
    /\ owner' = [owner EXCEPT ![p] = Nobody]
    /\ refs' = [refs EXCEPT ![p] = 0]

Next ==
    \/ \E r \in Requests, p \in Pages : Alloc(r, p)
    \/ \E p \in Pages : Publish(p)
    \/ \E p \in Pages : Retain(p)
    \/ \E p \in Pages : Drop(p)
    \/ \E p \in Pages : Free(p)

Spec == Init /\ [][Next]_<<state, owner, refs>>

Conservation == \A p \in Pages : (state[p] = "free") = (owner[p] = Nobody /\ refs[p] = 0)
====
