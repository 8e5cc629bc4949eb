---------------------------- MODULE Environment ----------------------------
\* The world around the two engines: how a run begins, and what clients, clocks
\* and transports are free to do. Nothing here is fair but the clock and the
\* progress of a write (see Fairness in AbortChain).
EXTENDS Goals

CONSTANTS
  ClientMayLeave,   \* a client may go away before it has its answer
  DeadlineMayPass,  \* D's hold on an aborted request's pages has a deadline
  HandleMayFail,    \* one handle of a chunk may fail while its siblings run
  CallMayGiveUp,    \* a synchronous write may return -1 on wall clock, still live
  RoomReuse,        \* the router gives all requests the same bootstrap room
  SilentReuse       \* ... but only when nothing of an earlier use is under way

VARIABLES
  succ,     \* ranks that reported success for a request
  armed,    \* D counts drain acks for this request
  acks,     \* ranks whose drain ack D has counted
  bads,     \* ranks that answered that a write's end is unproven
  late,     \* the deadline of D's hold has passed
  offered,  \* chunks of a request that P's scheduler has handed over
  poison,   \* requests of which a rank had a write that ended without proof
  up,       \* messages from a rank to D, in order
  down      \* messages from D to a rank, in order

decodeVars  == <<dst, free, own, told, succ, armed, acks, bads, late>>
prefillVars == <<pst, fin, q, wk, ctl, cnt, tgt, offered, poison>>
netVars     == <<up, down>>
vars == <<decodeVars, prefillVars, netVars, flight, content, gone, noproof>>

Room(i) == IF RoomReuse THEN 1 ELSE i
Idle == [pc |-> "idle", req |-> 0, chunk |-> 0, err |-> {}]
Listen == [pc |-> "idle", req |-> 0]

\* Request 1 has reached both engines, no page is in use.
Init ==
  /\ dst = [u \in Users |-> IF u = 1 THEN "prealloc" ELSE "none"]
  /\ free = Blocks
  /\ own = [u \in Users |-> {}]
  /\ told = [i \in Reqs |-> FALSE]
  /\ succ = [i \in Reqs |-> {}]
  /\ armed = [i \in Reqs |-> FALSE]
  /\ acks = [i \in Reqs |-> {}]
  /\ bads = [i \in Reqs |-> {}]
  /\ late = [i \in Reqs |-> FALSE]
  /\ pst = [k \in Ranks |-> [i \in Reqs |-> IF i = 1 THEN "boot" ELSE "none"]]
  /\ fin = [k \in Ranks |-> {}]
  /\ q = [k \in Ranks |-> <<>>]
  /\ wk = [k \in Ranks |-> Idle]
  /\ ctl = [k \in Ranks |-> Listen]
  /\ cnt = [k \in Ranks |-> [i \in Reqs |-> 0]]
  /\ tgt = [k \in Ranks |-> {}]
  /\ offered = [k \in Ranks |-> [i \in Reqs |-> 0]]
  /\ poison = [k \in Ranks |-> {}]
  /\ up = [k \in Ranks |-> <<>>]
  /\ down = [k \in Ranks |-> <<>>]
  /\ flight = {}
  /\ content = [c \in Cells |-> Nobody]
  /\ gone = [i \in Reqs |-> FALSE]
  /\ noproof = {}

\* @environment the client goes away; the router cancels both halves, and each
\* engine hears of it when it hears of it
\* @process client
UserAborts(i) ==
  /\ ClientMayLeave
  /\ dst[i] \in {"prealloc", "wait"}
  /\ gone' = [gone EXCEPT ![i] = TRUE]
  /\ UNCHANGED <<decodeVars, prefillVars, netVars, flight, content, noproof>>

\* @environment another prefill instance delivers the whole of another request
\* that D has given pages to, and it starts to decode
OtherCommits ==
  /\ dst[Other] = "wait"
  /\ dst' = [dst EXCEPT ![Other] = "commit"]
  /\ content' = [c \in Cells |-> Other]
  /\ UNCHANGED <<free, own, told, succ, armed, acks, bads, late>>
  /\ UNCHANGED <<prefillVars, netVars, flight, gone, noproof>>

\* @environment time: D has held the pages for as long as it is configured to
DeadlinePasses(i) ==
  /\ DeadlineMayPass
  /\ dst[i] = "held"
  /\ late' = [late EXCEPT ![i] = TRUE]
  /\ UNCHANGED <<dst, free, own, told, succ, armed, acks, bads>>
  /\ UNCHANGED <<prefillVars, netVars, flight, content, gone, noproof>>

\* The worker of w's rank waits for the chunk that w is part of.
Awaited(w) == LET it == wk[w[1]]
              IN it.pc = "xfer" /\ it.req = w[2] /\ it.chunk = w[3]

\* @environment the transport ends one write with an error and reports it; its
\* siblings run on
\* @process transfer
\* @lands write(w)
HandleFails(w) ==
  /\ HandleMayFail
  /\ w \in flight
  /\ flight' = flight \ {w}
  /\ noproof' = noproof \cup {<<w[1], w[2]>>}
  /\ IF Awaited(w) THEN wk' = [wk EXCEPT ![w[1]].err = @ \cup {w[4]}] ELSE UNCHANGED wk
  /\ UNCHANGED <<decodeVars, pst, fin, q, ctl, cnt, tgt, offered, poison>>
  /\ UNCHANGED <<netVars, content, gone>>

\* @environment a synchronous write call returns -1 because its time is up; the
\* batch is still live and may land at any later time
\* @process transfer
CallGivesUp(w) ==
  /\ CallMayGiveUp
  /\ w \in flight
  /\ Awaited(w)
  /\ wk' = [wk EXCEPT ![w[1]].err = @ \cup {w[4]}]
  /\ noproof' = noproof \cup {<<w[1], w[2]>>}
  /\ UNCHANGED <<decodeVars, pst, fin, q, ctl, cnt, tgt, offered, poison>>
  /\ UNCHANGED <<netVars, flight, content, gone>>

\* @environment the transport applies a write in D's memory, at any time after
\* its start
\* @process transfer
\* @lands write(w)
Lands(w) ==
  /\ w \in flight
  /\ flight' = flight \ {w}
  /\ content' = [content EXCEPT ![<<w[1], w[3], w[4]>>] = w[2]]
  /\ UNCHANGED <<decodeVars, prefillVars, netVars, gone, noproof>>
=============================================================================
