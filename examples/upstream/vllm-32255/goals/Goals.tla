-------------------------------- MODULE Goals --------------------------------
(***************************************************************************)
(* What must hold when vLLM's decode engine loads a request's KV blocks    *)
(* from a peer and the request may be aborted while the load is in flight. *)
(* Nothing here depends on how the scheduler goes about it.                *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS
    Requests,   \* request objects, 1..N in the order in which the client sends them
    Blocks,     \* KV blocks of the decode engine
    None        \* no request

(* Request ids are drawn from Requests too: a request's own id is its number. *)

VARIABLES
    fate,       \* [Requests -> unsent | live | replied | aborted | answered]: replied, the
                \* answer is on its way to the client
    idOf,       \* [Requests -> Requests]: the id under which the client sent the request
    phase,      \* where the engine's step stands: input | schedule | sent | forward | output | kv | dead
    entry,      \* [ids -> Requests or None]: the scheduler's table of requests
    status,     \* [Requests -> none | waiting | loading | running | finished]
    owner,      \* [Blocks -> Requests or None]: for which request the block is allocated
    content,    \* [Blocks -> Requests or None]: whose KV data lies in the block
    xfer,       \* [Requests -> state of the request's load], see Load states below
    dest,       \* [Requests -> Blocks or None]: where the load writes
    recvDone,   \* ids recorded as loaded and not yet acted on
    failed,     \* ids recorded as failed to load and not yet acted on
    report      \* ids whose load's end the worker has reported and the scheduler not yet seen

(* Load states: none; planned, given to the worker with the next step;     *)
(* flight, the transfer may write into dest; landed; failed; empty and     *)
(* asking, a read of no blocks that only releases the peer; reaped, its    *)
(* end was reported; local, the blocks are computed here instead; redone,  *)
(* loaded, and computed here once more.                                    *)

-----------------------------------------------------------------------------
(* Isolation: a load in flight writes only into a block that is allocated  *)
(* for the request it was started for.                                     *)
Isolation ==
    \A r \in Requests : xfer[r] = "flight" => owner[dest[r]] = r

(* Integrity: a forward pass reads, for each running request, a block of   *)
(* that request that holds that request's KV data.                         *)
Integrity ==
    phase \in {"forward", "output"} =>
        \A r \in Requests : status[r] = "running" =>
            \E k \in Blocks : owner[k] = r /\ content[k] = r

(* The client has sent the request and has neither an answer nor aborted.  *)
ClientWaits(r) == fate[r] \in {"live", "replied"}

(* Finality, requests: a request that the client waits for is answered,    *)
(* unless the client aborts it.                                            *)
FinalityRequests ==
    \A r \in Requests : ClientWaits(r) ~> ~ClientWaits(r)

(* Finality, blocks: once the client has its answer or has aborted, the    *)
(* request's blocks come back to the pool, for good.                       *)
FinalityBlocks ==
    \A r \in Requests :
        (fate[r] \in {"aborted", "answered"}) ~> [](\A k \in Blocks : owner[k] # r)

(* Finality, engine: no schedule makes the engine die on an assertion of   *)
(* its own.                                                                *)
EngineSurvives == phase # "dead"

(* The end of the load of request r is still to reach the scheduler.       *)
EndToCome(r) ==
    \/ xfer[r] \in {"planned", "flight", "landed", "failed"}
    \/ idOf[r] \in report

(* Conservation, blocks: each allocated block belongs to a request in the  *)
(* scheduler's table, and to a finished one only as long as the end of its *)
(* load is still to come. Else nothing will ever free it.                  *)
ConservationBlocks ==
    \A k \in Blocks : owner[k] # None =>
        /\ entry[idOf[owner[k]]] = owner[k]
        /\ status[owner[k]] = "finished" => EndToCome(owner[k])

(* Conservation, ids: an id recorded as loaded or as failed is that of a   *)
(* request in the table that waits for its load. Else the record is stale, *)
(* and is taken for the end of the load of the next request with that id.  *)
ConservationIds ==
    \A i \in recvDone \cup failed : entry[i] # None /\ status[entry[i]] = "loading"
=============================================================================
