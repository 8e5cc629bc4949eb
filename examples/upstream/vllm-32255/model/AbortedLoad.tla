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
\* The engine takes a new request from its input queue.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1611-1612@a208439537a9071668b99dc8089db0dd8995034a sha256:6a45f6bd5f1caaa0
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1624-1630@a208439537a9071668b99dc8089db0dd8995034a sha256:640a042ca8163ff3
\* @anchor vllm:vllm/v1/engine/core.py:1035-1042@a208439537a9071668b99dc8089db0dd8995034a sha256:cf3a28a89172b2a4
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1611-1612@8e3269086916d81b010a2d6209784a106ac2994a sha256:6a45f6bd5f1caaa0
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1624-1630@8e3269086916d81b010a2d6209784a106ac2994a sha256:640a042ca8163ff3
\* @anchor vllm:vllm/v1/engine/core.py:1035-1042@8e3269086916d81b010a2d6209784a106ac2994a sha256:cf3a28a89172b2a4
\* @split a request crosses the input queue: sent by the client (ClientSubmits), taken here between two steps
\* @receives request(r)
AddRequest(r) ==
    /\ phase = "input"
    /\ AddQueued(r)
    /\ \A q \in Requests : q < r /\ idOf[q] = idOf[r] => ~AddQueued(q) /\ q \notin aborts
    /\ entry[idOf[r]] = None
    /\ entry' = [entry EXCEPT ![idOf[r]] = r]
    /\ status' = [status EXCEPT ![r] = "waiting"]
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, phase, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

\* The id is still in the table: the assertion "duplicate request id" ends the engine process.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1611-1615@a208439537a9071668b99dc8089db0dd8995034a sha256:f883862c37174875
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1611-1615@8e3269086916d81b010a2d6209784a106ac2994a sha256:f883862c37174875
\* @receives request(r)
DuplicateIdAsserts(r) ==
    /\ phase = "input"
    /\ AddQueued(r)
    /\ \A q \in Requests : q < r /\ idOf[q] = idOf[r] => ~AddQueued(q) /\ q \notin aborts
    /\ entry[idOf[r]] # None
    /\ phase' = "dead"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, entry, status, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

\* An abort for a request that is finished or gone does nothing.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1645-1655@a208439537a9071668b99dc8089db0dd8995034a sha256:d328d0a62ddc841f
\* @anchor vllm:vllm/v1/engine/core.py:315-321@a208439537a9071668b99dc8089db0dd8995034a sha256:7e87998cfed0dde8
\* @anchor vllm:vllm/v1/engine/core.py:1043-1044@a208439537a9071668b99dc8089db0dd8995034a sha256:9d13d37f86bc321d
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1645-1655@8e3269086916d81b010a2d6209784a106ac2994a sha256:d328d0a62ddc841f
\* @anchor vllm:vllm/v1/engine/core.py:315-321@8e3269086916d81b010a2d6209784a106ac2994a sha256:7e87998cfed0dde8
\* @anchor vllm:vllm/v1/engine/core.py:1043-1044@8e3269086916d81b010a2d6209784a106ac2994a sha256:9d13d37f86bc321d
\* @receives abort(r)
AbortIgnored(r) ==
    /\ phase \in {"input", "output"}
    /\ r \in aborts
    /\ status[r] = "finished"
    /\ aborts' = aborts \ {r}
    /\ UNCHANGED <<fate, idOf, peerUp, xfer, content, engineVars>>

\* An abort of a request that runs, or waits to be scheduled: freed at once. If its load was
\* never started, the connector still asks the peer, by a read of no blocks, to release its own.
\* @process scheduler
\* @anchor vllm:vllm/v1/engine/core.py:526-534@a208439537a9071668b99dc8089db0dd8995034a sha256:45bca8ac9b6a7237
\* @anchor vllm:vllm/v1/engine/core.py:1043-1044@a208439537a9071668b99dc8089db0dd8995034a sha256:9d13d37f86bc321d
\* @anchor vllm:vllm/v1/engine/core.py:315-321@a208439537a9071668b99dc8089db0dd8995034a sha256:7e87998cfed0dde8
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1656-1674@a208439537a9071668b99dc8089db0dd8995034a sha256:86e0bf5478c03431
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1676-1694@a208439537a9071668b99dc8089db0dd8995034a sha256:6102574776962d1c
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1872-1892@a208439537a9071668b99dc8089db0dd8995034a sha256:2965caeb8876704f
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:761-763@a208439537a9071668b99dc8089db0dd8995034a sha256:c63ba4c7ec0fb0ad
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:771-786@a208439537a9071668b99dc8089db0dd8995034a sha256:ceb205a6cc501540
\* @anchor vllm:vllm/v1/core/block_pool.py:389-403@a208439537a9071668b99dc8089db0dd8995034a sha256:224706e68569414a
\* @anchor vllm:vllm/v1/core/single_type_kv_cache_manager.py:261-276@a208439537a9071668b99dc8089db0dd8995034a sha256:a63639c0cf6474bf
\* @anchor vllm:vllm/v1/engine/core.py:526-534@8e3269086916d81b010a2d6209784a106ac2994a sha256:45bca8ac9b6a7237
\* @anchor vllm:vllm/v1/engine/core.py:1043-1044@8e3269086916d81b010a2d6209784a106ac2994a sha256:9d13d37f86bc321d
\* @anchor vllm:vllm/v1/engine/core.py:315-321@8e3269086916d81b010a2d6209784a106ac2994a sha256:7e87998cfed0dde8
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1656-1674@8e3269086916d81b010a2d6209784a106ac2994a sha256:69014470dc95dea4
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1681-1705@8e3269086916d81b010a2d6209784a106ac2994a sha256:cf500589e7b98662
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1883-1903@8e3269086916d81b010a2d6209784a106ac2994a sha256:2965caeb8876704f
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:761-763@8e3269086916d81b010a2d6209784a106ac2994a sha256:c63ba4c7ec0fb0ad
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:771-786@8e3269086916d81b010a2d6209784a106ac2994a sha256:ceb205a6cc501540
\* @anchor vllm:vllm/v1/core/block_pool.py:389-403@8e3269086916d81b010a2d6209784a106ac2994a sha256:224706e68569414a
\* @anchor vllm:vllm/v1/core/single_type_kv_cache_manager.py:261-276@8e3269086916d81b010a2d6209784a106ac2994a sha256:a63639c0cf6474bf
\* @split an abort crosses a queue: queued by the client (UserAborts), taken here between two steps or before a step's output
\* @receives abort(r)
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

\* An abort during a load, without delay: blocks freed and entry dropped now. In the old code always;
\* in the fixed code only if the end of the load was recorded before.
\* @process scheduler
\* @anchor vllm:vllm/v1/engine/core.py:526-534@a208439537a9071668b99dc8089db0dd8995034a sha256:45bca8ac9b6a7237
\* @anchor vllm:vllm/v1/engine/core.py:1043-1044@a208439537a9071668b99dc8089db0dd8995034a sha256:9d13d37f86bc321d
\* @anchor vllm:vllm/v1/engine/core.py:315-321@a208439537a9071668b99dc8089db0dd8995034a sha256:7e87998cfed0dde8
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1656-1674@a208439537a9071668b99dc8089db0dd8995034a sha256:86e0bf5478c03431
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1676-1694@a208439537a9071668b99dc8089db0dd8995034a sha256:6102574776962d1c
\* @anchor vllm:vllm/v1/core/block_pool.py:389-403@a208439537a9071668b99dc8089db0dd8995034a sha256:224706e68569414a
\* @anchor vllm:vllm/v1/core/single_type_kv_cache_manager.py:261-276@a208439537a9071668b99dc8089db0dd8995034a sha256:a63639c0cf6474bf
\* @anchor vllm:vllm/v1/engine/core.py:526-534@8e3269086916d81b010a2d6209784a106ac2994a sha256:45bca8ac9b6a7237
\* @anchor vllm:vllm/v1/engine/core.py:1043-1044@8e3269086916d81b010a2d6209784a106ac2994a sha256:9d13d37f86bc321d
\* @anchor vllm:vllm/v1/engine/core.py:315-321@8e3269086916d81b010a2d6209784a106ac2994a sha256:7e87998cfed0dde8
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1656-1705@8e3269086916d81b010a2d6209784a106ac2994a sha256:1d3b9ede14f8181a
\* @anchor vllm:vllm/v1/core/block_pool.py:389-403@8e3269086916d81b010a2d6209784a106ac2994a sha256:224706e68569414a
\* @anchor vllm:vllm/v1/core/single_type_kv_cache_manager.py:261-276@8e3269086916d81b010a2d6209784a106ac2994a sha256:a63639c0cf6474bf
\* @split an abort crosses a queue: queued by the client (UserAborts), taken here between two steps or before a step's output
\* @receives abort(r)
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

\* An abort during a load, with the free delayed: blocks and entry stay until the load ends.
\* @process scheduler
\* @anchor vllm:vllm/v1/engine/core.py:526-534@8e3269086916d81b010a2d6209784a106ac2994a sha256:45bca8ac9b6a7237
\* @anchor vllm:vllm/v1/engine/core.py:1043-1044@8e3269086916d81b010a2d6209784a106ac2994a sha256:9d13d37f86bc321d
\* @anchor vllm:vllm/v1/engine/core.py:315-321@8e3269086916d81b010a2d6209784a106ac2994a sha256:7e87998cfed0dde8
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1656-1700@8e3269086916d81b010a2d6209784a106ac2994a sha256:6543b33dcab37501
\* @split an abort crosses a queue: queued by the client (UserAborts), taken here between two steps or before a step's output
\* @split abort and free are two steps: the free is FreeAfterLoad, when the worker has reported the end of the load
\* @receives abort(r)
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

\* The input queue is drained; the engine steps if it has requests, else it sleeps on the queue.
\* @process scheduler
\* @anchor vllm:vllm/v1/engine/core.py:988-996@a208439537a9071668b99dc8089db0dd8995034a sha256:c03e365fdbe1c48f
\* @anchor vllm:vllm/v1/engine/core.py:1010-1013@a208439537a9071668b99dc8089db0dd8995034a sha256:e46ab227bd63c822
\* @anchor vllm:vllm/v1/engine/core.py:378-380@a208439537a9071668b99dc8089db0dd8995034a sha256:31e10bb7b7aa7f05
\* @anchor vllm:vllm/v1/core/sched/interface.py:165-168@a208439537a9071668b99dc8089db0dd8995034a sha256:85c49a93793be167
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1696-1701@a208439537a9071668b99dc8089db0dd8995034a sha256:1638add2fc939d73
\* @anchor vllm:vllm/v1/engine/core.py:988-996@8e3269086916d81b010a2d6209784a106ac2994a sha256:c03e365fdbe1c48f
\* @anchor vllm:vllm/v1/engine/core.py:1010-1013@8e3269086916d81b010a2d6209784a106ac2994a sha256:e46ab227bd63c822
\* @anchor vllm:vllm/v1/engine/core.py:378-380@8e3269086916d81b010a2d6209784a106ac2994a sha256:31e10bb7b7aa7f05
\* @anchor vllm:vllm/v1/core/sched/interface.py:165-168@8e3269086916d81b010a2d6209784a106ac2994a sha256:85c49a93793be167
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1707-1712@8e3269086916d81b010a2d6209784a106ac2994a sha256:1638add2fc939d73
BeginSchedule ==
    /\ phase = "input"
    /\ aborts = {}
    /\ \A r \in Requests : ~AddQueued(r)
    /\ OtherTraffic \/ HasRequests
    /\ phase' = "schedule"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, entry, status, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

\* A load has ended: its blocks are published (cached) and the request runs in this step.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:534-542@a208439537a9071668b99dc8089db0dd8995034a sha256:791d83ca4f7fdbd9
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1906-1908@a208439537a9071668b99dc8089db0dd8995034a sha256:c951c672e89b7708
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1922-1938@a208439537a9071668b99dc8089db0dd8995034a sha256:328715a2848df0d2
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:534-542@8e3269086916d81b010a2d6209784a106ac2994a sha256:791d83ca4f7fdbd9
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1917-1919@8e3269086916d81b010a2d6209784a106ac2994a sha256:c951c672e89b7708
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1933-1949@8e3269086916d81b010a2d6209784a106ac2994a sha256:328715a2848df0d2
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:740-742@8e3269086916d81b010a2d6209784a106ac2994a sha256:015a8c1647ae3e92
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:761-762@8e3269086916d81b010a2d6209784a106ac2994a sha256:069c7bc2f8f7213e
AdmitLoaded(r) ==
    /\ phase = "schedule"
    /\ status[r] = "loading"
    /\ idOf[r] \in recvDone \ failed
    /\ status' = [status EXCEPT ![r] = "running"]
    /\ recvDone' = recvDone \ {idOf[r]}
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, phase, entry, owner, dest,
                   failed, report, flush, badBlocks>>

\* A load has failed: its blocks are freed and the request waits to be computed here.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:534-542@a208439537a9071668b99dc8089db0dd8995034a sha256:791d83ca4f7fdbd9
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1906-1921@a208439537a9071668b99dc8089db0dd8995034a sha256:84591e7bb42bbdeb
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1936-1938@a208439537a9071668b99dc8089db0dd8995034a sha256:6e769b23aad6e8d7
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:534-542@8e3269086916d81b010a2d6209784a106ac2994a sha256:791d83ca4f7fdbd9
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1917-1932@8e3269086916d81b010a2d6209784a106ac2994a sha256:84591e7bb42bbdeb
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1947-1949@8e3269086916d81b010a2d6209784a106ac2994a sha256:6e769b23aad6e8d7
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

\* Blocks are allocated for a load that the connector will do; the request waits for it.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:595-612@a208439537a9071668b99dc8089db0dd8995034a sha256:3568bf5fa9e30655
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:699-717@a208439537a9071668b99dc8089db0dd8995034a sha256:2e1dee4694b56a99
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:719-738@a208439537a9071668b99dc8089db0dd8995034a sha256:c3ae65b6a9b60e69
\* @anchor vllm:vllm/v1/core/block_pool.py:300-330@a208439537a9071668b99dc8089db0dd8995034a sha256:ea37a4877e4f8296
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:632-637@a208439537a9071668b99dc8089db0dd8995034a sha256:c4b40b8f1f51a8ad
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:662-696@a208439537a9071668b99dc8089db0dd8995034a sha256:1b463dbc71a3bf07
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:595-612@8e3269086916d81b010a2d6209784a106ac2994a sha256:3568bf5fa9e30655
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:699-717@8e3269086916d81b010a2d6209784a106ac2994a sha256:2e1dee4694b56a99
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:719-738@8e3269086916d81b010a2d6209784a106ac2994a sha256:c3ae65b6a9b60e69
\* @anchor vllm:vllm/v1/core/block_pool.py:300-330@8e3269086916d81b010a2d6209784a106ac2994a sha256:ea37a4877e4f8296
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:632-637@8e3269086916d81b010a2d6209784a106ac2994a sha256:c4b40b8f1f51a8ad
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:662-696@8e3269086916d81b010a2d6209784a106ac2994a sha256:1b463dbc71a3bf07
\* @split the load is posted by the worker in a later step of its own (WorkerPosts)
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

\* A request whose load failed is scheduled with nothing left to load.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:699-717@a208439537a9071668b99dc8089db0dd8995034a sha256:2e1dee4694b56a99
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:740-762@a208439537a9071668b99dc8089db0dd8995034a sha256:4c98547f353f04d5
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:639-640@a208439537a9071668b99dc8089db0dd8995034a sha256:36741a29301eac02
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:699-717@8e3269086916d81b010a2d6209784a106ac2994a sha256:2e1dee4694b56a99
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:740-762@8e3269086916d81b010a2d6209784a106ac2994a sha256:4c98547f353f04d5
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:639-640@8e3269086916d81b010a2d6209784a106ac2994a sha256:36741a29301eac02
PrefillLocally(r) ==
    /\ phase = "schedule"
    /\ status[r] = "waiting"
    /\ xfer[r] # "none"
    /\ \E k \in FreeBlocks : owner' = [owner EXCEPT ![k] = r]
    /\ status' = [status EXCEPT ![r] = "running"]
    /\ xfer' = [xfer EXCEPT ![r] = "local"]
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, content, phase, entry, dest,
                   recvDone, failed, report, flush, badBlocks>>

\* The step with the loads to start goes to the worker.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:839-865@a208439537a9071668b99dc8089db0dd8995034a sha256:16ba047ec2f4935e
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:921-924@a208439537a9071668b99dc8089db0dd8995034a sha256:442b22a752f7f521
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:702-711@a208439537a9071668b99dc8089db0dd8995034a sha256:af74f26acf021226
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:744-745@a208439537a9071668b99dc8089db0dd8995034a sha256:34d56620d99ba497
\* @anchor vllm:vllm/v1/engine/core.py:380-381@a208439537a9071668b99dc8089db0dd8995034a sha256:516a9dedcacb27c6
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:839-865@8e3269086916d81b010a2d6209784a106ac2994a sha256:16ba047ec2f4935e
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:921-924@8e3269086916d81b010a2d6209784a106ac2994a sha256:442b22a752f7f521
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:702-711@8e3269086916d81b010a2d6209784a106ac2994a sha256:af74f26acf021226
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:744-745@8e3269086916d81b010a2d6209784a106ac2994a sha256:34d56620d99ba497
\* @anchor vllm:vllm/v1/engine/core.py:380-381@8e3269086916d81b010a2d6209784a106ac2994a sha256:516a9dedcacb27c6
\* @split the call to the worker is a send; the scheduler thread then waits for the result (UpdateRequests)
\* @sends step to worker
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
\* The worker starts the step's loads, then runs the forward pass.
\* @process worker
\* @anchor vllm:vllm/v1/worker/kv_connector_model_runner_mixin.py:86-96@a208439537a9071668b99dc8089db0dd8995034a sha256:11e309f2793c490b
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2058-2076@a208439537a9071668b99dc8089db0dd8995034a sha256:e3ae52c5578ba1a2
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2084-2085@a208439537a9071668b99dc8089db0dd8995034a sha256:a85b3d0c84742328
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2111-2118@a208439537a9071668b99dc8089db0dd8995034a sha256:ee55211de812ec8c
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2150-2159@a208439537a9071668b99dc8089db0dd8995034a sha256:08e8f38cb0b76aab
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2313-2314@a208439537a9071668b99dc8089db0dd8995034a sha256:9f4bb152148a0b46
\* @anchor vllm:vllm/v1/worker/kv_connector_model_runner_mixin.py:86-96@8e3269086916d81b010a2d6209784a106ac2994a sha256:11e309f2793c490b
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2058-2076@8e3269086916d81b010a2d6209784a106ac2994a sha256:e3ae52c5578ba1a2
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2084-2085@8e3269086916d81b010a2d6209784a106ac2994a sha256:a85b3d0c84742328
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2111-2118@8e3269086916d81b010a2d6209784a106ac2994a sha256:ee55211de812ec8c
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2150-2159@8e3269086916d81b010a2d6209784a106ac2994a sha256:08e8f38cb0b76aab
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2313-2314@8e3269086916d81b010a2d6209784a106ac2994a sha256:9f4bb152148a0b46
\* @split posting a read returns at once; the data lands later (TransferLands)
\* @receives step
\* @starts load(r) when xfer[r] becomes flight
WorkerPosts ==
    /\ phase = "sent"
    /\ xfer' = [r \in Requests |-> CASE xfer[r] = "planned" -> "flight"
                                     [] xfer[r] = "empty" -> "asking"
                                     [] OTHER -> xfer[r]]
    /\ content' = [k \in Blocks |->
                    IF owner[k] # None /\ xfer[owner[k]] \in {"local", "redone"} THEN owner[k] ELSE content[k]]
    /\ phase' = "forward"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, entry, status, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

\* A posted read writes the request's KV data into the blocks that it was posted for.
\* @process transfer
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2217-2220@a208439537a9071668b99dc8089db0dd8995034a sha256:cf99eb4e0b1bc344
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2299-2311@a208439537a9071668b99dc8089db0dd8995034a sha256:edff990ea313bc5b
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2217-2220@8e3269086916d81b010a2d6209784a106ac2994a sha256:cf99eb4e0b1bc344
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2299-2311@8e3269086916d81b010a2d6209784a106ac2994a sha256:edff990ea313bc5b
\* @split the transfer runs beside all threads of the engine, from WorkerPosts until it lands here
\* @lands load(r)
TransferLands(r) ==
    /\ peerUp
    /\ xfer[r] = "flight"
    /\ xfer' = [xfer EXCEPT ![r] = "landed"]
    /\ content' = [content EXCEPT ![dest[r]] = r]
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, engineVars>>

Ended(r) ==
    /\ xfer[r] \in {"landed", "failed"}
    /\ \A q \in Requests : idOf[q] = idOf[r] => xfer[q] # "flight"

\* After the forward pass the worker reports the loads that ended, and the blocks that failed.
\* @process worker
\* @anchor vllm:vllm/v1/worker/kv_connector_model_runner_mixin.py:103-106@a208439537a9071668b99dc8089db0dd8995034a sha256:d8eef0638b162f4b
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:1885-1904@a208439537a9071668b99dc8089db0dd8995034a sha256:8a0a63447dbe166a
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:1945-1945@a208439537a9071668b99dc8089db0dd8995034a sha256:7a4e1934dde0f323
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:1991-2036@a208439537a9071668b99dc8089db0dd8995034a sha256:4daa3052b9f80e22
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2047-2051@a208439537a9071668b99dc8089db0dd8995034a sha256:39d75b646fb74920
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2433-2442@a208439537a9071668b99dc8089db0dd8995034a sha256:1fa2f965825a4cb8
\* @anchor vllm:vllm/v1/worker/kv_connector_model_runner_mixin.py:103-106@8e3269086916d81b010a2d6209784a106ac2994a sha256:d8eef0638b162f4b
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:1885-1904@8e3269086916d81b010a2d6209784a106ac2994a sha256:8a0a63447dbe166a
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:1945-1945@8e3269086916d81b010a2d6209784a106ac2994a sha256:7a4e1934dde0f323
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:1991-2036@8e3269086916d81b010a2d6209784a106ac2994a sha256:4daa3052b9f80e22
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2047-2051@8e3269086916d81b010a2d6209784a106ac2994a sha256:39d75b646fb74920
\* @anchor vllm:vllm/distributed/kv_transfer/kv_connector/v1/nixl_connector.py:2433-2442@8e3269086916d81b010a2d6209784a106ac2994a sha256:1fa2f965825a4cb8
\* @split the end of a load is seen at the next poll, not when the data lands; the report goes back as the step's result
\* @sends report(i) to scheduler when report gains i
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

(* A running request that was loaded and whose block is reported as failed, *)
(* by whatever load: it stays, and is computed anew in the next step.       *)
Redone == {r \in Running : xfer[r] # "local" /\ \E k \in badBlocks : owner[k] = r}

\* With the step's result, after queued aborts: failed loads are marked, running requests answered
\* and freed, but for those whose block failed.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1241-1248@a208439537a9071668b99dc8089db0dd8995034a sha256:1fa66f6c4c0a7c46
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1255-1269@a208439537a9071668b99dc8089db0dd8995034a sha256:bc4699504330cd60
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1321-1334@a208439537a9071668b99dc8089db0dd8995034a sha256:25e9e4dde3e31de7
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1390-1395@a208439537a9071668b99dc8089db0dd8995034a sha256:c333f67ed82d3754
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1999-2026@a208439537a9071668b99dc8089db0dd8995034a sha256:a89d1efb43284996
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:2079-2091@a208439537a9071668b99dc8089db0dd8995034a sha256:549ec213a9902811
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:2096-2101@a208439537a9071668b99dc8089db0dd8995034a sha256:dd1d51b5a6c81adf
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:2133-2136@a208439537a9071668b99dc8089db0dd8995034a sha256:15ec1830d1f24c2d
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1241-1248@8e3269086916d81b010a2d6209784a106ac2994a sha256:1fa66f6c4c0a7c46
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1255-1269@8e3269086916d81b010a2d6209784a106ac2994a sha256:bc4699504330cd60
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1321-1334@8e3269086916d81b010a2d6209784a106ac2994a sha256:25e9e4dde3e31de7
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1390-1395@8e3269086916d81b010a2d6209784a106ac2994a sha256:c333f67ed82d3754
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:2016-2043@8e3269086916d81b010a2d6209784a106ac2994a sha256:a89d1efb43284996
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:2096-2108@8e3269086916d81b010a2d6209784a106ac2994a sha256:549ec213a9902811
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:2113-2118@8e3269086916d81b010a2d6209784a106ac2994a sha256:dd1d51b5a6c81adf
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:2150-2153@8e3269086916d81b010a2d6209784a106ac2994a sha256:15ec1830d1f24c2d
\* @split the result was sent by the worker (WorkerPolls); aborts that came meanwhile are taken first (Abort actions at phase output)
UpdateRequests ==
    /\ phase = "output"
    /\ \A r \in aborts : status[r] \in {"none", "finished"}
    /\ failed' = failed \cup {i \in Requests : /\ StatusOf(i) = "loading"
                                               /\ \E k \in badBlocks : owner[k] = entry[i]}
    /\ status' = [r \in Requests |-> IF r \in Running \ Redone THEN "finished" ELSE status[r]]
    /\ owner' = [k \in Blocks |-> IF owner[k] \in Running \ Redone THEN None ELSE owner[k]]
    /\ entry' = [i \in Requests |-> IF entry[i] \in Running \ Redone THEN None ELSE entry[i]]
    /\ xfer' = [r \in Requests |-> IF r \in Redone THEN "redone" ELSE xfer[r]]
    /\ flush' = (flush \/ Running \ Redone # {})
    /\ phase' = "kv"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, content, dest, recvDone, report, badBlocks>>

\* The reported end of a load is recorded: in the old code whatever the request's state, in the
\* fixed code only if the request waits for it.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1954-1957@a208439537a9071668b99dc8089db0dd8995034a sha256:48658835f393587c
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1965-1971@8e3269086916d81b010a2d6209784a106ac2994a sha256:b5ee6b6740aeec4d
\* @receives report(i)
RecordLoaded(i) ==
    /\ phase = "kv"
    /\ i \in report
    /\ G4 => StatusOf(i) = "loading"
    /\ recvDone' = recvDone \cup {i}
    /\ report' = report \ {i}
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, phase, entry, status, owner, dest,
                   failed, flush, badBlocks>>

\* The reported end of a load of a finished request frees its blocks and drops its entry.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1965-1974@8e3269086916d81b010a2d6209784a106ac2994a sha256:59a9290b9c275004
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1702-1705@8e3269086916d81b010a2d6209784a106ac2994a sha256:4a58e1885cf3c6c7
\* @anchor vllm:vllm/v1/core/block_pool.py:389-403@8e3269086916d81b010a2d6209784a106ac2994a sha256:224706e68569414a
\* @anchor vllm:vllm/v1/core/single_type_kv_cache_manager.py:261-276@8e3269086916d81b010a2d6209784a106ac2994a sha256:a63639c0cf6474bf
\* @receives report(i)
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

\* The reported end of a load of a request that is gone, or neither waits nor is finished: an
\* assertion ends the engine process.
\* @process scheduler
\* @anchor vllm:vllm/v1/core/sched/scheduler.py:1966-1973@8e3269086916d81b010a2d6209784a106ac2994a sha256:294c12ea42ec7ba8
\* @receives report(i)
LateEndAsserts(i) ==
    /\ phase = "kv"
    /\ i \in report
    /\ G4
    /\ StatusOf(i) \notin {"loading", "finished"}
    /\ phase' = "dead"
    /\ UNCHANGED <<fate, idOf, aborts, peerUp, xfer, content, entry, status, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

\* All reports are taken; the answers go to the output queue, the engine back to its input queue.
\* @process scheduler
\* @anchor vllm:vllm/v1/engine/core.py:394-398@a208439537a9071668b99dc8089db0dd8995034a sha256:3c879331ccb5b20d
\* @anchor vllm:vllm/v1/engine/core.py:1018-1021@a208439537a9071668b99dc8089db0dd8995034a sha256:e2d6f8ecf7e70080
\* @anchor vllm:vllm/v1/engine/core.py:394-398@8e3269086916d81b010a2d6209784a106ac2994a sha256:3c879331ccb5b20d
\* @anchor vllm:vllm/v1/engine/core.py:1018-1021@8e3269086916d81b010a2d6209784a106ac2994a sha256:e2d6f8ecf7e70080
EndStep ==
    /\ phase = "kv"
    /\ report = {}
    /\ fate' = [r \in Requests |->
                 IF fate[r] = "live" /\ status[r] = "finished" THEN "replied" ELSE fate[r]]
    /\ phase' = "input"
    /\ UNCHANGED <<idOf, aborts, peerUp, xfer, content, entry, status, owner, dest,
                   recvDone, failed, report, flush, badBlocks>>

\* An answer leaves the output queue and reaches the client.
\* @process output
\* @anchor vllm:vllm/v1/engine/core.py:1223-1224@a208439537a9071668b99dc8089db0dd8995034a sha256:67fb5b54ea8b06fc
\* @anchor vllm:vllm/v1/engine/core.py:1237-1238@a208439537a9071668b99dc8089db0dd8995034a sha256:e6d41c738d05c605
\* @anchor vllm:vllm/v1/engine/core.py:1223-1224@8e3269086916d81b010a2d6209784a106ac2994a sha256:67fb5b54ea8b06fc
\* @anchor vllm:vllm/v1/engine/core.py:1237-1238@8e3269086916d81b010a2d6209784a106ac2994a sha256:e6d41c738d05c605
\* @split an answer crosses the output queue, a thread and a socket: an abort may pass it on the way (AbortIgnored)
AnswerArrives(r) ==
    /\ fate[r] = "replied"
    /\ fate' = [fate EXCEPT ![r] = "answered"]
    /\ UNCHANGED <<idOf, aborts, peerUp, xfer, content, engineVars>>

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
    \/ \E r \in Requests : AnswerArrives(r)

(* The engine's own threads and a transfer whose peer is up make progress; *)
(* nothing is assumed of clients, of errors or of the peer's death.        *)
Fairness ==
    /\ WF_vars(SchedulerNext)
    /\ WF_vars(WorkerPosts \/ WorkerPolls)
    /\ \A r \in Requests : WF_vars(TransferLands(r))
    /\ \A r \in Requests : WF_vars(AnswerArrives(r))

Spec == Init /\ [][Next]_vars /\ Fairness
=============================================================================
