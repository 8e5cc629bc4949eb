---------------------------- MODULE Environment ----------------------------
\* The world around the two workers: how a run begins, what transfers, messages
\* and processes are free to do, and the goals about single steps.
EXTENDS Goals

CONSTANTS
  Pull,            \* D reads P's pages; otherwise P writes D's
  ClientsAbort,    \* a request may be cancelled at any time
  TransferFaults,  \* a transfer may fail, be given up, or end unheard of
  MessageFaults,   \* a control message may be lost or come twice
  Crashes,         \* a worker may die, once
  MaxGen           \* the last generation that a page may have

VARIABLES
  net,     \* control messages under way, in no order
  twice,   \* those of them that come once more
  served,  \* the newest ticket of each of the peer's pages that a worker has answered for
  inc      \* incarnation of a worker

vars == <<pg, ph, up, data, nic, net, twice, served, inc>>

\* Who opens its pages to the other, and who moves the data.
Exposer == IF Pull THEN "P" ELSE "D"
Mover == IF Pull THEN "D" ELSE "P"

\* What the exposer may name in a message: its pages, in each generation. A
\* transfer and the messages about it are known by this ticket.
Tickets == PagesOf(Exposer) \X (1..MaxGen)
There(t) == IF Pull THEN t.src ELSE t.dst

Blank == [st |-> "FREE", gen |-> 0, own |-> None, key |-> None, full |-> FALSE, xl |-> {}, kl |-> {}, refs |-> {}]

\* Every request has reached both workers, nothing is in use.
Init ==
  /\ pg = [p \in Pages |-> Blank]
  /\ ph = [s \in Sides |-> [r \in Rooms |-> "queue"]]
  /\ up = [s \in Sides |-> TRUE]
  /\ data = [p \in Pages |-> Junk]
  /\ nic = {}
  /\ net = {}
  /\ twice = {}
  /\ served = [p \in Pages |-> 0]
  /\ inc = [s \in Sides |-> 0]

\* The data of a transfer is moved, at any time after the start; the transport
\* says so, if it was not written off before.
Moves(k) == \E t \in nic :
  /\ There(t) = k
  /\ t.writes
  /\ data' = [data EXCEPT ![t.dst[1]] = IF t.reads THEN data[t.src[1]] ELSE Junk]
  /\ nic' = (nic \ {t}) \cup
            (IF t.said = "told" THEN {}
             ELSE {[t EXCEPT !.reads = FALSE, !.writes = FALSE, !.said = IF @ = "none" THEN "done" ELSE @]})
  /\ UNCHANGED <<pg, ph, up, net, twice, served, inc>>

\* @environment a sound transport moves the data, sooner or later
\* @process transfer
Lands(k) == ~TransferFaults /\ Moves(k)

\* @environment a faulty one may, and may do so late
\* @process transfer
MayLand(k) == TransferFaults /\ Moves(k)

\* @environment the transport has moved the data and never says so
\* @process transfer
LosesCompletion(k) ==
  /\ TransferFaults
  /\ \E t \in nic :
      /\ There(t) = k
      /\ t.writes /\ t.reads /\ t.said = "none"
      /\ data' = [data EXCEPT ![t.dst[1]] = data[t.src[1]]]
      /\ nic' = nic \ {t}
      /\ UNCHANGED <<pg, ph, up, net, twice, served, inc>>

\* @environment the transport reports a failure. Of a read: it has ended, and
\* left half of the data. Of a write: its source is quiet, and what is under way
\* may still be applied
\* @process transfer
Fails(k) ==
  /\ TransferFaults
  /\ \E t \in nic :
      /\ There(t) = k
      /\ t.reads /\ t.said = "none"
      /\ nic' = (nic \ {t}) \cup {[t EXCEPT !.reads = FALSE, !.writes = ~Pull, !.said = "failed"]}
      /\ data' = IF Pull THEN [data EXCEPT ![t.dst[1]] = Junk] ELSE data
      /\ UNCHANGED <<pg, ph, up, net, twice, served, inc>>

\* @environment a call gives up on wall clock; the transfer lives on
\* @process transfer
GivesUp(k) ==
  /\ TransferFaults
  /\ \E t \in nic :
      /\ There(t) = k
      /\ t.reads /\ t.said = "none"
      /\ nic' = (nic \ {t}) \cup {[t EXCEPT !.said = "gave up"]}
      /\ UNCHANGED <<pg, ph, up, data, net, twice, served, inc>>

\* @environment a control message is lost
\* @process network
LosesMessage(k) ==
  /\ MessageFaults
  /\ \E m \in net :
      /\ m.ticket = k
      /\ net' = net \ {m}
      /\ twice' = twice \ {m}
      /\ UNCHANGED <<pg, ph, up, data, nic, served, inc>>

\* @environment a control message comes once more
\* @process network
Duplicates(k) ==
  /\ MessageFaults
  /\ \E m \in net :
      /\ m.ticket = k
      /\ m \notin twice
      /\ twice' = twice \cup {m}
      /\ UNCHANGED <<pg, ph, up, data, nic, net, served, inc>>

\* What the death of worker s does to a transfer: with its memory the transfer
\* ends, and the other side is told that it failed; but what a dead P had sent
\* may still be applied at D.
AfterDeath(t, s) ==
  CASE s = "D" /\ Pull -> {}
    [] s = "P" /\ ~Pull -> IF t.writes THEN {[t EXCEPT !.reads = FALSE, !.said = "told"]} ELSE {}
    [] OTHER -> IF t.said = "told" THEN {}
                ELSE {[t EXCEPT !.reads = FALSE, !.writes = FALSE, !.said = IF @ = "none" THEN "failed" ELSE @]}

\* @environment a worker dies, with its memory, its requests and its kernels
\* @process operator
Dies(s) ==
  /\ Crashes
  /\ inc["P"] + inc["D"] = 0
  /\ up[s]
  /\ up' = [up EXCEPT ![s] = FALSE]
  /\ inc' = [inc EXCEPT ![s] = @ + 1]
  /\ ph' = [ph EXCEPT ![s] = [r \in Rooms |-> "over"]]
  /\ pg' = [p \in Pages |-> IF Side(p) = s THEN [Blank EXCEPT !.gen = pg[p].gen] ELSE pg[p]]
  /\ data' = [p \in Pages |-> IF Side(p) = s THEN Junk ELSE data[p]]
  /\ nic' = UNION {AfterDeath(t, s) : t \in nic}
  /\ UNCHANGED <<net, twice, served>>

\* A page comes back to the free list only when nothing may touch it any more;
\* quarantine ends in no other way.
StopEvidence == [][\A p \in Pages :
  up'[Side(p)] /\ pg[p].st # "FREE" /\ pg'[p].st = "FREE" => Quiet(p) /\ pg'[p].kl = {}]_vars
QuarantineStable == [][\A p \in Pages :
  up'[Side(p)] /\ pg[p].st = "QUARANTINED" /\ pg'[p].st # "QUARANTINED" => pg'[p].st = "FREE" /\ Quiet(p)]_vars
=============================================================================
