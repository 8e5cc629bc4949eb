----------------------------- MODULE Environment -----------------------------
(***************************************************************************)
(* The world around the engine: clients, the peer that holds the KV data,  *)
(* the network. None of these actions is fair: none ever has to happen.    *)
(***************************************************************************)
EXTENDS Goals

CONSTANTS
    PeerMayDie,     \* the peer may go silent: loads neither end nor fail from then on
    LoadsMayFail,   \* a handshake or a transfer may end in a reported error
    IdsReused,      \* a client may send a new request under the id of one it is done with
    OtherTraffic    \* other requests keep the engine stepping; if not, it sleeps when idle

VARIABLES
    aborts,     \* requests whose abort message is queued at the engine
    peerUp,     \* the peer answers
    flush,      \* some request finished since the last step was sent (keeps the engine awake)
    badBlocks   \* blocks that the worker reported as failed to load

engineVars == <<phase, entry, status, owner, dest, recvDone, failed, report, flush, badBlocks>>

vars == <<fate, idOf, aborts, peerUp, xfer, content, engineVars>>

EnvironmentInit ==
    /\ fate = [r \in Requests |-> "unsent"]
    /\ idOf = [r \in Requests |-> r]
    /\ aborts = {}
    /\ peerUp = TRUE

(* The client sends request r, with an id of its own or, where ids are     *)
(* reused, with that of an earlier request the client is done with.        *)
\* @environment a client of the engine, free to send, and where ids are reused free to choose an old id
\* @process client
\* @sends request(r) to scheduler
ClientSubmits(r) ==
    /\ fate[r] = "unsent"
    /\ \A q \in Requests : q < r => fate[q] # "unsent"
    /\ \E i \in Requests :
        /\ i = r \/ (IdsReused /\ i < r)
        /\ \A q \in Requests : q < r /\ idOf[q] = i => ~ClientWaits(q)
        /\ idOf' = [idOf EXCEPT ![r] = i]
    /\ fate' = [fate EXCEPT ![r] = "live"]
    /\ UNCHANGED <<aborts, peerUp, xfer, content, engineVars>>

(* The client aborts (or disconnects) at any time while it waits.          *)
\* @environment a client that cancels or disconnects, at any time; the abort is queued at the engine
\* @process client
\* @sends abort(r) to scheduler
UserAborts(r) ==
    /\ ClientWaits(r)
    /\ fate' = [fate EXCEPT ![r] = "aborted"]
    /\ aborts' = aborts \cup {r}
    /\ UNCHANGED <<idOf, peerUp, xfer, content, engineVars>>

(* The peer dies: no transfer makes progress any more, no error is seen.   *)
\* @environment the prefill instance, or the way to it, goes silent for good
\* @process peer
PeerDies ==
    /\ PeerMayDie
    /\ peerUp
    /\ peerUp' = FALSE
    /\ UNCHANGED <<fate, idOf, aborts, xfer, content, engineVars>>

(* A load ends in an error that the worker sees: a failed handshake (also  *)
(* that of a read of no blocks) or a transfer in an error state.           *)
\* @environment a handshake that is refused after the peer answered, or a transfer that the NIXL library reports as failed
\* @process transfer
\* @lands load(r)
LoadFails(r) ==
    /\ LoadsMayFail
    /\ xfer[r] \in {"flight", "asking"}
    /\ xfer' = [xfer EXCEPT ![r] = "failed"]
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, content, engineVars>>
=============================================================================
