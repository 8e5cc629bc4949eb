----------------------------- MODULE AbortedLoad -----------------------------
EXTENDS Environment

CONSTANTS
    G1,     \* an abort delays the free while the request waits for its load
    G2,     \* but not if the end of the load was already recorded
    G3,     \* an abort drops the id from the records of ended loads
    G4,     \* the end of a load frees if the request is finished, is recorded only if it waits
    G5      \* the request's entry stays in the table as long as its blocks are held

engineInit ==
    /\ phase = "input"
    /\ entry = [i \in Requests |-> None]
    /\ status = [r \in Requests |-> "none"]
    /\ owner = [k \in Blocks |-> None]
    /\ content = [k \in Blocks |-> None]
    /\ xfer = [r \in Requests |-> "none"]
    /\ dest = [r \in Requests |-> None]
    /\ recvDone = {}
    /\ failed = {}
    /\ report = {}
    /\ flush = FALSE
    /\ badBlocks = {}

Init == EnvironmentInit /\ engineInit

StatusOf(i) == IF entry[i] = None THEN "gone" ELSE status[entry[i]]

FreeBlocks == {k \in Blocks : owner[k] = None}

(* The pool after the blocks allocated under id i are freed. *)
OwnerWithout(i) ==
    [k \in Blocks |-> IF owner[k] # None /\ idOf[owner[k]] = i THEN None ELSE owner[k]]

AddQueued(r) == fate[r] # "unsent" /\ status[r] = "none"

-----------------------------------------------------------------------------
AddRequest(r) ==
    /\ phase = "input"
    /\ AddQueued(r)
    /\ \A q \in Requests : q < r /\ idOf[q] = idOf[r] => ~AddQueued(q) /\ q \notin aborts
    /\ entry[idOf[r]] = None
    /\ entry' = [entry EXCEPT ![idOf[r]] = r]
    /\ status' = [status EXCEPT ![r] = "waiting"]
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, phase, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

DuplicateIdAsserts(r) ==
    /\ phase = "input"
    /\ AddQueued(r)
    /\ \A q \in Requests : q < r /\ idOf[q] = idOf[r] => ~AddQueued(q) /\ q \notin aborts
    /\ entry[idOf[r]] # None
    /\ phase' = "dead"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, entry, status, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

AbortIgnored(r) ==
    /\ phase \in {"input", "output"}
    /\ r \in aborts
    /\ status[r] = "finished"
    /\ aborts' = aborts \ {r}
    /\ UNCHANGED <<fate, idOf, peerUp, xfer, content, engineVars>>

AbortNotLoading(r) ==
    /\ phase \in {"input", "output"}
    /\ r \in aborts
    /\ status[r] \in {"waiting", "running"}
    /\ aborts' = aborts \ {r}
    /\ status' = [status EXCEPT ![r] = "finished"]
    /\ owner' = OwnerWithout(idOf[r])
    /\ entry' = [entry EXCEPT ![idOf[r]] = None]
    /\ flush' = TRUE
    /\ xfer' = IF xfer[r] = "none" THEN [xfer EXCEPT ![r] = "empty"] ELSE xfer
    /\ UNCHANGED <<fate, idOf, peerUp, content, phase, dest, recvDone, failed, report, badBlocks>>

AbortLoadFrees(r) ==
    /\ phase \in {"input", "output"}
    /\ r \in aborts
    /\ status[r] = "loading"
    /\ ~(G1 /\ (G2 => idOf[r] \notin recvDone))
    /\ aborts' = aborts \ {r}
    /\ status' = [status EXCEPT ![r] = "finished"]
    /\ owner' = OwnerWithout(idOf[r])
    /\ entry' = [entry EXCEPT ![idOf[r]] = None]
    /\ flush' = TRUE
    /\ recvDone' = IF G3 THEN recvDone \ {idOf[r]} ELSE recvDone
    /\ failed' = IF G3 THEN failed \ {idOf[r]} ELSE failed
    /\ UNCHANGED <<fate, idOf, peerUp, xfer, content, phase, dest, report, badBlocks>>

AbortLoadHolds(r) ==
    /\ phase \in {"input", "output"}
    /\ r \in aborts
    /\ status[r] = "loading"
    /\ G1 /\ (G2 => idOf[r] \notin recvDone)
    /\ aborts' = aborts \ {r}
    /\ status' = [status EXCEPT ![r] = "finished"]
    /\ entry' = IF G5 THEN entry ELSE [entry EXCEPT ![idOf[r]] = None]
    /\ flush' = TRUE
    /\ recvDone' = IF G3 THEN recvDone \ {idOf[r]} ELSE recvDone
    /\ failed' = IF G3 THEN failed \ {idOf[r]} ELSE failed
    /\ UNCHANGED <<fate, idOf, peerUp, xfer, content, phase, owner, dest, report, badBlocks>>

-----------------------------------------------------------------------------
HasRequests ==
    flush \/ \E r \in Requests : status[r] \in {"waiting", "loading", "running"}

BeginSchedule ==
    /\ phase = "input"
    /\ aborts = {}
    /\ \A r \in Requests : ~AddQueued(r)
    /\ OtherTraffic \/ HasRequests
    /\ phase' = "schedule"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, entry, status, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

AdmitLoaded(r) ==
    /\ phase = "schedule"
    /\ status[r] = "loading"
    /\ idOf[r] \in recvDone \ failed
    /\ status' = [status EXCEPT ![r] = "running"]
    /\ recvDone' = recvDone \ {idOf[r]}
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, phase, entry, owner, dest,
                   failed, report, flush, badBlocks>>

RetryFailed(r) ==
    /\ phase = "schedule"
    /\ status[r] = "loading"
    /\ idOf[r] \in recvDone \cap failed
    /\ status' = [status EXCEPT ![r] = "waiting"]
    /\ owner' = OwnerWithout(idOf[r])
    /\ recvDone' = recvDone \ {idOf[r]}
    /\ failed' = failed \ {idOf[r]}
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, phase, entry, dest,
                   report, flush, badBlocks>>

StartLoad(r) ==
    /\ phase = "schedule"
    /\ status[r] = "waiting"
    /\ xfer[r] = "none"
    /\ \E k \in FreeBlocks :
        /\ owner' = [owner EXCEPT ![k] = r]
        /\ dest' = [dest EXCEPT ![r] = k]
    /\ status' = [status EXCEPT ![r] = "loading"]
    /\ xfer' = [xfer EXCEPT ![r] = "planned"]
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, content, phase, entry,
                   recvDone, failed, report, flush, badBlocks>>

PrefillLocally(r) ==
    /\ phase = "schedule"
    /\ status[r] = "waiting"
    /\ xfer[r] # "none"
    /\ \E k \in FreeBlocks : owner' = [owner EXCEPT ![k] = r]
    /\ status' = [status EXCEPT ![r] = "running"]
    /\ xfer' = [xfer EXCEPT ![r] = "local"]
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, content, phase, entry, dest,
                   recvDone, failed, report, flush, badBlocks>>

SendStep ==
    /\ phase = "schedule"
    /\ \A r \in Requests :
        /\ status[r] = "loading" => idOf[r] \notin recvDone
        /\ status[r] = "waiting" => FreeBlocks = {}
    /\ flush' = FALSE
    /\ phase' = "sent"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, entry, status, owner, dest,
                   recvDone, failed, report, badBlocks>>

-----------------------------------------------------------------------------
WorkerPosts ==
    /\ phase = "sent"
    /\ xfer' = [r \in Requests |-> CASE xfer[r] = "planned" -> "flight"
                                     [] xfer[r] = "empty" -> "asking"
                                     [] OTHER -> xfer[r]]
    /\ content' = [k \in Blocks |->
                    IF owner[k] # None /\ xfer[owner[k]] = "local" THEN owner[k] ELSE content[k]]
    /\ phase' = "forward"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, entry, status, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

TransferLands(r) ==
    /\ peerUp
    /\ xfer[r] = "flight"
    /\ xfer' = [xfer EXCEPT ![r] = "landed"]
    /\ content' = [content EXCEPT ![dest[r]] = r]
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, engineVars>>

Ended(r) ==
    /\ xfer[r] \in {"landed", "failed"}
    /\ \A q \in Requests : idOf[q] = idOf[r] => xfer[q] # "flight"

WorkerPolls ==
    /\ phase = "forward"
    /\ report' = {idOf[r] : r \in {q \in Requests : Ended(q)}}
    /\ badBlocks' = {dest[r] : r \in {q \in Requests : xfer[q] = "failed" /\ dest[q] # None}}
    /\ xfer' = [r \in Requests |-> IF Ended(r) THEN "reaped" ELSE xfer[r]]
    /\ phase' = "output"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, content, entry, status, owner, dest,
                   recvDone, failed, flush>>

-----------------------------------------------------------------------------
Running == {r \in Requests : status[r] = "running"}

UpdateRequests ==
    /\ phase = "output"
    /\ \A r \in aborts : status[r] \in {"none", "finished"}
    /\ failed' = failed \cup {i \in Requests : /\ StatusOf(i) = "loading"
                                               /\ \E k \in badBlocks : owner[k] = entry[i]}
    /\ badBlocks' = {}
    /\ status' = [r \in Requests |-> IF r \in Running THEN "finished" ELSE status[r]]
    /\ fate' = [r \in Requests |-> IF r \in Running /\ fate[r] = "live" THEN "answered" ELSE fate[r]]
    /\ owner' = [k \in Blocks |-> IF owner[k] \in Running THEN None ELSE owner[k]]
    /\ entry' = [i \in Requests |-> IF entry[i] \in Running THEN None ELSE entry[i]]
    /\ flush' = (flush \/ Running # {})
    /\ phase' = "kv"
    /\ UNCHANGED <<idOf, aborts, peerUp, xfer, content, dest, recvDone, report>>

RecordLoaded(i) ==
    /\ phase = "kv"
    /\ i \in report
    /\ G4 => StatusOf(i) = "loading"
    /\ recvDone' = recvDone \cup {i}
    /\ report' = report \ {i}
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, phase, entry, status, owner, dest,
                   failed, flush, badBlocks>>

FreeAfterLoad(i) ==
    /\ phase = "kv"
    /\ i \in report
    /\ G4
    /\ StatusOf(i) = "finished"
    /\ owner' = OwnerWithout(i)
    /\ entry' = [entry EXCEPT ![i] = None]
    /\ report' = report \ {i}
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, phase, status, dest,
                   recvDone, failed, flush, badBlocks>>

LateEndAsserts(i) ==
    /\ phase = "kv"
    /\ i \in report
    /\ G4
    /\ StatusOf(i) \notin {"loading", "finished"}
    /\ phase' = "dead"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, entry, status, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

EndStep ==
    /\ phase = "kv"
    /\ report = {}
    /\ phase' = "input"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, entry, status, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

-----------------------------------------------------------------------------
SchedulerNext ==
    \/ \E r \in Requests : AddRequest(r)
    \/ \E r \in Requests : DuplicateIdAsserts(r)
    \/ \E r \in Requests : AbortIgnored(r)
    \/ \E r \in Requests : AbortNotLoading(r)
    \/ \E r \in Requests : AbortLoadFrees(r)
    \/ \E r \in Requests : AbortLoadHolds(r)
    \/ BeginSchedule
    \/ \E r \in Requests : AdmitLoaded(r)
    \/ \E r \in Requests : RetryFailed(r)
    \/ \E r \in Requests : StartLoad(r)
    \/ \E r \in Requests : PrefillLocally(r)
    \/ SendStep
    \/ UpdateRequests
    \/ \E i \in Requests : RecordLoaded(i)
    \/ \E i \in Requests : FreeAfterLoad(i)
    \/ \E i \in Requests : LateEndAsserts(i)
    \/ EndStep

Next ==
    \/ \E r \in Requests : ClientSubmits(r)
    \/ \E r \in Requests : UserAborts(r)
    \/ PeerDies
    \/ \E r \in Requests : LoadFails(r)
    \/ \E r \in Requests : AddRequest(r)
    \/ \E r \in Requests : DuplicateIdAsserts(r)
    \/ \E r \in Requests : AbortIgnored(r)
    \/ \E r \in Requests : AbortNotLoading(r)
    \/ \E r \in Requests : AbortLoadFrees(r)
    \/ \E r \in Requests : AbortLoadHolds(r)
    \/ BeginSchedule
    \/ \E r \in Requests : AdmitLoaded(r)
    \/ \E r \in Requests : RetryFailed(r)
    \/ \E r \in Requests : StartLoad(r)
    \/ \E r \in Requests : PrefillLocally(r)
    \/ SendStep
    \/ WorkerPosts
    \/ \E r \in Requests : TransferLands(r)
    \/ WorkerPolls
    \/ UpdateRequests
    \/ \E i \in Requests : RecordLoaded(i)
    \/ \E i \in Requests : FreeAfterLoad(i)
    \/ \E i \in Requests : LateEndAsserts(i)
    \/ EndStep

(* The engine's own threads and a transfer whose peer is up make progress; *)
(* nothing is assumed of clients, of errors or of the peer's death.        *)
Fairness ==
    /\ WF_vars(SchedulerNext)
    /\ WF_vars(WorkerPosts \/ WorkerPolls)
    /\ \A r \in Requests : WF_vars(TransferLands(r))

Spec == Init /\ [][Next]_vars /\ Fairness
=============================================================================
