----------------------------- MODULE AbortChain -----------------------------
\* SGLang's prefill/decode transfer and its abort path, one model for five
\* revisions, two transports and a variant of our own. Each guard is a condition
\* that some revision has and another has not.
EXTENDS Environment

CONSTANTS
  AbortMsg, SkipFailed, Counted, GiveBack,          \* up to step 2
  FailFirst, Hold, AllRanks, FreshAcks, DrainAll, WorkerAcks,   \* C1 to C6
  CountFirst, CountCleared, TryOnce,                \* step 3
  OwnCount,                                         \* one change to NIXL
  Generation, ArmFirst, HoldFailed, KeepTarget,     \* ours
  OweCleared, Unproven, Quarantine

Jobs == Ranks \X Reqs
Last == Cardinality(Chunks)

Mates(i) == {j \in Reqs : Room(j) = Room(i)}
\* A message, a target or an ack of request i is taken as one of request j.
Same(i, j) == IF Generation THEN j = i ELSE j \in Mates(i)
\* What a rank finds in its tables under the number it knows request i by.
Finds(k, i, j) ==
  IF Generation \/ \A m \in Mates(i) : pst[k][m] = "none"
    THEN j = i
    ELSE j \in Mates(i) /\ pst[k][j] # "none"
\* A room that fails before its metadata has come (refused) has nowhere to write to.
Failed(k, i) == pst[k][i] \in {"failed", "refused"}
Quiet(k, i) == \A j \in Reqs : Same(i, j) => cnt[k][j] = 0
Owes(k, i, j) == j \in tgt[k] /\ Same(i, j)
Acked(i) == {k \in Ranks : \E j \in Reqs : Same(i, j) /\ k \in acks[j]}

Say(k, kind, i) == up' = [up EXCEPT ![k] = Append(@, <<kind, i>>)]
Answer(k, i) == Say(k, IF i \in poison[k] THEN "bad" ELSE "ack", i)
SendAll(kind, i) == down' = [k \in Ranks |-> Append(down[k], <<kind, i>>)]
Arm(i) ==
  /\ armed' = [armed EXCEPT ![i] = TRUE]
  /\ IF FreshAcks
       THEN acks' = [j \in Reqs |-> IF j \in Mates(i) THEN {} ELSE acks[j]]
       ELSE UNCHANGED acks
GiveUp(i) ==
  /\ free' = free \cup own[i]
  /\ own' = [own EXCEPT ![i] = {}]
  /\ dst' = [dst EXCEPT ![i] = "released"]
  /\ armed' = [armed EXCEPT ![i] = FALSE]
  /\ acks' = [j \in Reqs |-> IF j \in Mates(i) THEN {} ELSE acks[j]]

\* D allocates pages for request {i} and sends their addresses to every rank.
\* @process decode-scheduler
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:918-923@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:76e3a7ba0a8d78df
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1025-1030@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:b7be8e14fdd1dcbd
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:918-923@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:76e3a7ba0a8d78df
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1025-1030@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:b7be8e14fdd1dcbd
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1118-1123@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:76e3a7ba0a8d78df
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1301-1306@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:279f0ced0eb35559
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1188-1193@adca19c4970933fa1990fecf3541b527d3153594 sha256:76e3a7ba0a8d78df
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1371-1376@adca19c4970933fa1990fecf3541b527d3153594 sha256:279f0ced0eb35559
\* @split the send ends this step; the ranks read the metadata in CMeta
\* @sends m(k) to prefill-control when down[k] queues m
DAlloc(i) ==
  /\ dst[i] = "prealloc"
  /\ \E b \in free :
       /\ free' = free \ {b}
       /\ own' = [own EXCEPT ![i] = {b}]
  /\ dst' = [dst EXCEPT ![i] = "wait"]
  /\ SendAll("meta", i)
  /\ UNCHANGED <<told, succ, armed, acks, bads, late, prefillVars, up>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* D's allocator hands free pages to another request.
\* @process decode-scheduler
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:918-923@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:76e3a7ba0a8d78df
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:918-923@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:76e3a7ba0a8d78df
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1118-1123@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:76e3a7ba0a8d78df
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1188-1193@adca19c4970933fa1990fecf3541b527d3153594 sha256:76e3a7ba0a8d78df
DAllocOther ==
  /\ dst[Other] = "none"
  /\ \E b \in free :
       /\ free' = free \ {b}
       /\ own' = [own EXCEPT ![Other] = {b}]
  /\ dst' = [dst EXCEPT ![Other] = "wait"]
  /\ UNCHANGED <<told, succ, armed, acks, bads, late, prefillVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* D aborts request {i} before it has pages and tells the ranks, if this revision tells them.
\* @process decode-scheduler
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:3640-3643@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:7e1d709a4032a069
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:3640-3643@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:7e1d709a4032a069
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1095-1095@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:aae6719c3f3ac592
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:4541-4544@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:7e1d709a4032a069
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1541-1541@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:aae6719c3f3ac592
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:4588-4591@adca19c4970933fa1990fecf3541b527d3153594 sha256:7e1d709a4032a069
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1585-1585@adca19c4970933fa1990fecf3541b527d3153594 sha256:aae6719c3f3ac592
\* @split the send ends this step; a rank reads the ABORT in CAbort
\* @sends m(k) to prefill-control when down[k] queues m
DAbortEarly(i) ==
  /\ dst[i] = "prealloc"
  /\ gone[i]
  /\ dst' = [dst EXCEPT ![i] = "released"]
  /\ IF AbortMsg THEN SendAll("abort", i) ELSE UNCHANGED down
  /\ UNCHANGED <<free, own, told, succ, armed, acks, bads, late, prefillVars>>
  /\ UNCHANGED <<up, flight, content, gone, noproof>>

\* D aborts request {i}: it marks its own status as failed and, if this revision does so, sends ABORT to every rank (ours: arms the ack count first).
\* @process decode-scheduler
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:3646-3649@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:8a45630cc673cd90
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1080-1081@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:a2140dedda16d20d
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:3646-3649@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:8a45630cc673cd90
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1088-1095@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:58a45793ac0dfd0a
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:4549-4553@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:5e4516a96716a6ca
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1534-1541@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:58a45793ac0dfd0a
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:4596-4600@adca19c4970933fa1990fecf3541b527d3153594 sha256:5e4516a96716a6ca
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1578-1585@adca19c4970933fa1990fecf3541b527d3153594 sha256:58a45793ac0dfd0a
\* @split abort_request is cut between the send of ABORT and the arming of the ack count (DAbortRest)
\* @sends m(k) to prefill-control when down[k] queues m
DAbort(i) ==
  /\ dst[i] = "wait"
  /\ IF HoldFailed THEN gone[i] \/ told[i] ELSE gone[i]
  /\ IF AbortMsg /\ Hold
       THEN dst' = [dst EXCEPT ![i] = "aborting"]
       ELSE dst' = [dst EXCEPT ![i] = "aborted"]
  /\ IF AbortMsg /\ ~(Hold /\ ArmFirst)
       THEN SendAll("abort", i) /\ UNCHANGED <<armed, acks>>
       ELSE IF AbortMsg
       THEN Arm(i) /\ UNCHANGED down
       ELSE UNCHANGED <<armed, acks, down>>
  /\ UNCHANGED <<free, own, told, succ, bads, late, prefillVars, up>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* D arms the count of drain acks for request {i} (ours: sends ABORT to every rank).
\* @process decode-scheduler
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:4560-4566@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:dc519975fc12aa12
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:345-348@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:e85d47961c31ff5e
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:4607-4613@adca19c4970933fa1990fecf3541b527d3153594 sha256:dc519975fc12aa12
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:348-351@adca19c4970933fa1990fecf3541b527d3153594 sha256:e85d47961c31ff5e
\* @split second half of abort_request, after the send
\* @sends m(k) to prefill-control when down[k] queues m
DAbortRest(i) ==
  /\ dst[i] = "aborting"
  /\ dst' = [dst EXCEPT ![i] = "aborted"]
  /\ IF ArmFirst
       THEN SendAll("abort", i) /\ UNCHANGED <<armed, acks>>
       ELSE Arm(i) /\ UNCHANGED down
  /\ UNCHANGED <<free, own, told, succ, bads, late, prefillVars, up>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* D takes aborted request {i} off the transfer queue: it holds the pages, or frees them at once.
\* @process decode-scheduler
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1605-1608@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:ea5c6635dfc0c46c
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1632-1633@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:58707a3970d22bb2
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1605-1608@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:ea5c6635dfc0c46c
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1632-1633@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:58707a3970d22bb2
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2079-2093@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:f602a33513b16898
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2155-2162@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:41e7adb9c50159b0
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2156-2170@adca19c4970933fa1990fecf3541b527d3153594 sha256:f602a33513b16898
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2232-2239@adca19c4970933fa1990fecf3541b527d3153594 sha256:41e7adb9c50159b0
DPopAborted(i) ==
  /\ dst[i] = "aborted"
  /\ IF Hold /\ AbortMsg
       THEN dst' = [dst EXCEPT ![i] = "held"] /\ UNCHANGED <<free, own, armed, acks>>
       ELSE GiveUp(i)
  /\ UNCHANGED <<told, succ, bads, late, prefillVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* D takes request {i} off the transfer queue because a rank reported it as failed, and frees its pages at once.
\* @process decode-scheduler
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1605-1608@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:ea5c6635dfc0c46c
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1632-1633@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:58707a3970d22bb2
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1605-1608@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:ea5c6635dfc0c46c
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1632-1633@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:58707a3970d22bb2
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2090-2093@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:cb41abd1e7252c79
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2167-2170@adca19c4970933fa1990fecf3541b527d3153594 sha256:cb41abd1e7252c79
DPopFailed(i) ==
  /\ dst[i] = "wait"
  /\ told[i]
  /\ ~HoldFailed
  /\ GiveUp(i)
  /\ UNCHANGED <<told, succ, bads, late, prefillVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* D has the success of every rank and lets request {i} decode.
\* @process decode-scheduler
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1637-1637@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:61d0eb2c78c57630
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1643-1644@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:3a2d914d2ee58037
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1637-1637@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:61d0eb2c78c57630
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:1643-1644@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:3a2d914d2ee58037
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2099-2099@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:61d0eb2c78c57630
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2105-2106@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:3a2d914d2ee58037
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2176-2176@adca19c4970933fa1990fecf3541b527d3153594 sha256:61d0eb2c78c57630
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2182-2183@adca19c4970933fa1990fecf3541b527d3153594 sha256:3a2d914d2ee58037
DCommit(i) ==
  /\ dst[i] = "wait"
  /\ succ[i] = Ranks
  /\ dst' = [dst EXCEPT ![i] = "commit"]
  /\ UNCHANGED <<free, own, told, succ, armed, acks, bads, late, prefillVars>>
  /\ UNCHANGED <<netVars, flight, content, gone, noproof>>

\* D has counted the drain acks it needs for request {i} and frees the pages.
\* @process decode-scheduler
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2190-2194@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:e4a6340de4b950df
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2164-2174@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:abd218c2275ccca3
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:357-362@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:4a1ca3e5fdae3492
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2267-2271@adca19c4970933fa1990fecf3541b527d3153594 sha256:e4a6340de4b950df
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2241-2251@adca19c4970933fa1990fecf3541b527d3153594 sha256:abd218c2275ccca3
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:360-365@adca19c4970933fa1990fecf3541b527d3153594 sha256:4a1ca3e5fdae3492
DResolve(i) ==
  /\ dst[i] \in {"held", "quarantined"}
  /\ IF AllRanks THEN Acked(i) = Ranks ELSE Acked(i) # {}
  /\ GiveUp(i)
  /\ UNCHANGED <<told, succ, bads, late, prefillVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The deadline of request {i} has passed: D frees the pages anyway (ours: sets them aside).
\* @process decode-scheduler
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2191-2194@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:9cde921646db7825
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2199-2206@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:009927c1585c5864
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2268-2271@adca19c4970933fa1990fecf3541b527d3153594 sha256:9cde921646db7825
\* @anchor sglang:python/sglang/srt/disaggregation/decode.py:2276-2283@adca19c4970933fa1990fecf3541b527d3153594 sha256:009927c1585c5864
DReleaseLate(i) ==
  /\ dst[i] = "held"
  /\ late[i]
  /\ IF Quarantine
       THEN /\ dst' = [dst EXCEPT ![i] = "quarantined"]
            /\ UNCHANGED <<free, own, armed, acks>>
       ELSE GiveUp(i)
  /\ UNCHANGED <<told, succ, bads, late, prefillVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* Every rank has answered for request {i}, at least one that it can prove nothing: D sets the pages aside.
\* @process decode-scheduler
\* @ours pages without proof that the writes have stopped are kept out of the pool; no upstream revision has such a state
DSetAside(i) ==
  /\ dst[i] = "held"
  /\ bads[i] # {}
  /\ bads[i] \cup Acked(i) = Ranks
  /\ dst' = [dst EXCEPT ![i] = "quarantined"]
  /\ UNCHANGED <<free, own, told, succ, armed, acks, bads, late, prefillVars>>
  /\ UNCHANGED <<netVars, flight, content, gone, noproof>>

\* D's manager thread reads the next message of rank {k}.
\* @process decode-manager
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1465-1467@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:89d970c3826e35d4
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1479-1480@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:574e5a23432fbab1
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1481-1486@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:53734dfdb490ace2
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1514-1518@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:f75a0cbb74c5c37e
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1525-1527@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:89d970c3826e35d4
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1540-1540@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:9f905bb49d3513e8
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1541-1546@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:53734dfdb490ace2
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2173-2182@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:ae25552549ededae
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2189-2191@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:89d970c3826e35d4
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2203-2209@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:567ba1aa687c125e
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:350-355@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:b9b38a2342efdff7
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2143-2152@adca19c4970933fa1990fecf3541b527d3153594 sha256:ae25552549ededae
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2159-2161@adca19c4970933fa1990fecf3541b527d3153594 sha256:89d970c3826e35d4
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2173-2179@adca19c4970933fa1990fecf3541b527d3153594 sha256:567ba1aa687c125e
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:353-358@adca19c4970933fa1990fecf3541b527d3153594 sha256:b9b38a2342efdff7
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:607-613@adca19c4970933fa1990fecf3541b527d3153594 sha256:cdb8f75d8c62ca95
\* @split received here, sent by a rank in an earlier step
\* @receives m(k) when up[k] delivers m
DHear(k) ==
  /\ up[k] # <<>>
  /\ up' = [up EXCEPT ![k] = Tail(@)]
  /\ LET kind == Head(up[k])[1]
         i == Head(up[k])[2]
         counts == Hold /\ (FreshAcks => \E j \in Reqs : Same(i, j) /\ armed[j])
     IN /\ IF kind = "ack" /\ counts
             THEN acks' = [acks EXCEPT ![i] = @ \cup {k}] ELSE UNCHANGED acks
        /\ IF kind = "bad"
             THEN bads' = [bads EXCEPT ![i] = @ \cup {k}] ELSE UNCHANGED bads
        /\ IF kind = "success"
             THEN succ' = [succ EXCEPT ![i] = @ \cup {k}] ELSE UNCHANGED succ
        /\ IF kind = "failed"
             THEN told' = [told EXCEPT ![i] = TRUE] ELSE UNCHANGED told
  /\ UNCHANGED <<dst, free, own, armed, late, prefillVars, down>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The next request under the room comes, when D and every rank of P have answered the one before:
\* P's sender takes over the room's entry in the rank's tables. An entry that says success ends P's
\* scheduler there, which is left out.
\* @process prefill-scheduler
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:712-712@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:fd885920eaa8da45
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:712-712@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:fd885920eaa8da45
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1123-1123@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:fd885920eaa8da45
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1167-1167@adca19c4970933fa1990fecf3541b527d3153594 sha256:fd885920eaa8da45
Arrives(i) ==
  /\ dst[i] = "none"
  /\ dst[i - 1] = "released"
  /\ \A k \in Ranks : i - 1 \in fin[k]
  /\ \A k \in Ranks, m \in Reqs :
       Room(m) = Room(i) /\ ~Generation => pst[k][m] # "success"
  /\ SilentReuse => \A k \in Ranks :
       up[k] = <<>> /\ down[k] = <<>> /\ ~InHand(k, i - 1)
  /\ dst' = [dst EXCEPT ![i] = "prealloc"]
  /\ pst' = [k \in Ranks |-> [m \in Reqs |->
       IF m = i THEN "boot"
       ELSE IF Room(m) = Room(i) /\ ~Generation THEN "none" ELSE pst[k][m]]]
  /\ UNCHANGED <<free, own, told, succ, armed, acks, bads, late>>
  /\ UNCHANGED <<fin, q, wk, ctl, cnt, tgt, offered, poison>>
  /\ UNCHANGED <<netVars, flight, content, gone, noproof>>

\* P's scheduler hands the next chunk of a request to a rank's transfer queue, unless the room is cleared or, with Mooncake, failed.
\* @process prefill-scheduler
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1504-1511@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:1e94c25f6fe66c3d
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1529-1539@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:fcc324950b427de6
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1564-1571@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:1e94c25f6fe66c3d
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1589-1599@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:fcc324950b427de6
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2228-2235@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:1e94c25f6fe66c3d
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2253-2264@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:842c08191e5c9826
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2198-2205@adca19c4970933fa1990fecf3541b527d3153594 sha256:1e94c25f6fe66c3d
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2223-2234@adca19c4970933fa1990fecf3541b527d3153594 sha256:842c08191e5c9826
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:2435-2437@adca19c4970933fa1990fecf3541b527d3153594 sha256:d9f1a6ad85279883
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:2445-2456@adca19c4970933fa1990fecf3541b527d3153594 sha256:c2b5d3464d73f886
\* @split the put ends this step; the worker takes the chunk in WTake
POffer(j) == LET k == j[1]  i == j[2] IN
  /\ pst[k][i] # "boot"
  /\ i \notin fin[k]
  /\ offered[k][i] < Last
  /\ dst[i] # "none"
  /\ offered' = [offered EXCEPT ![k][i] = @ + 1]
  /\ IF \E m \in Reqs :
          /\ Finds(k, i, m)
          /\ pst[k][m] \notin {"none", "refused"}
          /\ (Counted => GiveBack) => pst[k][m] # "failed"
       THEN q' = [q EXCEPT ![k] = Append(@, <<i, offered[k][i] + 1>>)]
       ELSE UNCHANGED q
  /\ UNCHANGED <<pst, fin, wk, ctl, cnt, tgt, poison, decodeVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* P's scheduler hears that the client has gone and marks the request as failed.
\* @process prefill-scheduler
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:3632-3636@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:4495e5c208363c77
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:858-859@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:a2140dedda16d20d
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:3632-3636@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:4495e5c208363c77
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:858-859@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:a2140dedda16d20d
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:4533-4537@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:4495e5c208363c77
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1279-1280@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:a2140dedda16d20d
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:4580-4584@adca19c4970933fa1990fecf3541b527d3153594 sha256:4495e5c208363c77
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1323-1324@adca19c4970933fa1990fecf3541b527d3153594 sha256:a2140dedda16d20d
PAbort(j) == LET k == j[1]  i == j[2] IN
  /\ gone[i]
  /\ pst[k][i] = "wait"
  /\ offered[k][i] = Last
  /\ pst' = [pst EXCEPT ![k][i] = "failed"]
  /\ UNCHANGED <<fin, q, wk, ctl, cnt, tgt, offered, poison, decodeVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* P's scheduler hears that the client has gone while the prompt is still computed in chunks: it marks the request as failed and drops it, without clearing its room.
\* @process prefill-scheduler
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:2957-2957@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:b7a7cf1cbe1de6b1
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1279-1280@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:a2140dedda16d20d
\* @anchor sglang:python/sglang/srt/managers/scheduler.py:2982-2982@adca19c4970933fa1990fecf3541b527d3153594 sha256:b7a7cf1cbe1de6b1
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1323-1324@adca19c4970933fa1990fecf3541b527d3153594 sha256:a2140dedda16d20d
PDrop(j) == LET k == j[1]  i == j[2] IN
  /\ gone[i]
  /\ pst[k][i] \in {"wait", "failed"}
  /\ offered[k][i] \in 1..(Last - 1)
  /\ pst' = [pst EXCEPT ![k][i] = "failed"]
  /\ fin' = [fin EXCEPT ![k] = @ \cup {i}]
  /\ UNCHANGED <<q, wk, ctl, cnt, tgt, offered, poison, decodeVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* P's scheduler sees the request as ended and clears it from a rank's tables.
\* @process prefill-scheduler
\* @anchor sglang:python/sglang/srt/disaggregation/prefill.py:714-719@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:33a7b1cdab452e3f
\* @anchor sglang:python/sglang/srt/disaggregation/prefill.py:722-725@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:ddc3cdc0903227f1
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:846-851@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:79116a13188399e3
\* @anchor sglang:python/sglang/srt/disaggregation/prefill.py:714-719@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:33a7b1cdab452e3f
\* @anchor sglang:python/sglang/srt/disaggregation/prefill.py:722-725@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:ddc3cdc0903227f1
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:846-851@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:79116a13188399e3
\* @anchor sglang:python/sglang/srt/disaggregation/prefill.py:883-888@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:530760155746504f
\* @anchor sglang:python/sglang/srt/disaggregation/prefill.py:891-892@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:a6601b9e5798ce70
\* @anchor sglang:python/sglang/srt/disaggregation/prefill.py:947-947@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:aeef1c3f61ab4507
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2377-2383@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:94f9b571c32843ba
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1263-1272@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:0d152310d12cb62c
\* @anchor sglang:python/sglang/srt/disaggregation/prefill.py:883-888@adca19c4970933fa1990fecf3541b527d3153594 sha256:530760155746504f
\* @anchor sglang:python/sglang/srt/disaggregation/prefill.py:891-892@adca19c4970933fa1990fecf3541b527d3153594 sha256:a6601b9e5798ce70
\* @anchor sglang:python/sglang/srt/disaggregation/prefill.py:947-947@adca19c4970933fa1990fecf3541b527d3153594 sha256:aeef1c3f61ab4507
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2347-2353@adca19c4970933fa1990fecf3541b527d3153594 sha256:94f9b571c32843ba
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:1307-1316@adca19c4970933fa1990fecf3541b527d3153594 sha256:0d152310d12cb62c
PConclude(j) == LET k == j[1]  i == j[2] IN
  /\ i \notin fin[k]
  /\ offered[k][i] = Last
  /\ \/ \E m \in Ranks : Failed(m, i) \/ i \in fin[m]
     \/ \A m \in Ranks : pst[m][i] = "success" /\ cnt[m][i] = 0
  /\ pst' = [pst EXCEPT ![k][i] = "none"]
  /\ fin' = [fin EXCEPT ![k] = @ \cup {i}]
  /\ IF KeepTarget THEN UNCHANGED tgt ELSE tgt' = [tgt EXCEPT ![k] = @ \ Mates(i)]
  /\ UNCHANGED <<q, wk, ctl, cnt, offered, poison, decodeVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The transfer worker of rank {k} takes a chunk; step 3 counts it now.
\* @process prefill-worker
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1163-1163@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:9c5062af637eed3f
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1163-1163@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:9c5062af637eed3f
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1669-1669@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:9c5062af637eed3f
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1632-1632@adca19c4970933fa1990fecf3541b527d3153594 sha256:9c5062af637eed3f
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1644-1646@adca19c4970933fa1990fecf3541b527d3153594 sha256:90bf75c1536debc5
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1128-1128@adca19c4970933fa1990fecf3541b527d3153594 sha256:9305ef1ccb6738e1
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1136-1138@adca19c4970933fa1990fecf3541b527d3153594 sha256:5ef234732ca4fd3d
\* @split the worker loop is cut after the take, after the status check, after the count, at the start of the write, at its end, after the count is given back, and after the ack
WTake(k) ==
  /\ wk[k].pc = "idle"
  /\ q[k] # <<>>
  /\ LET i == Head(q[k])[1]  c == Head(q[k])[2] IN
       /\ wk' = [wk EXCEPT ![k] = [pc |-> "got", req |-> i, chunk |-> c, err |-> {}]]
       /\ IF Counted /\ CountFirst
            THEN cnt' = [cnt EXCEPT ![k][i] = @ + 1] ELSE UNCHANGED cnt
  /\ q' = [q EXCEPT ![k] = Tail(@)]
  /\ UNCHANGED <<pst, fin, ctl, tgt, offered, poison, decodeVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The transfer worker of rank {k} looks at the status of the room.
\* @process prefill-worker
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1171-1174@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:a4adf5c395383c9e
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1677-1680@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:a4adf5c395383c9e
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1648-1651@adca19c4970933fa1990fecf3541b527d3153594 sha256:a4adf5c395383c9e
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1140-1140@adca19c4970933fa1990fecf3541b527d3153594 sha256:2b183ac95216e255
\* @split status check apart from the write it allows
WCheck(k) == LET i == wk[k].req IN
  /\ wk[k].pc = "got"
  /\ \E m \in Reqs :
       /\ Finds(k, i, m)
       /\ IF SkipFailed /\ (Failed(k, m) \/ (pst[k][m] = "none" /\ (Counted => GiveBack)))
            THEN wk' = [wk EXCEPT ![k].pc = "skip"]
            ELSE wk' = [wk EXCEPT ![k].pc = "counting"]
  /\ UNCHANGED <<pst, fin, q, ctl, cnt, tgt, offered, poison, decodeVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The transfer worker of rank {k} drops the chunk and the count of its room.
\* @process prefill-worker
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1184-1184@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:a26e4368f21f8891
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1690-1690@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:9a00de6658ba711e
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1661-1661@adca19c4970933fa1990fecf3541b527d3153594 sha256:9a00de6658ba711e
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1141-1141@adca19c4970933fa1990fecf3541b527d3153594 sha256:b523a30ce8cafd0a
\* @split the count goes before the ack
WSkip(k) == LET i == wk[k].req IN
  /\ wk[k].pc = "skip"
  /\ wk' = [wk EXCEPT ![k].pc = "answer"]
  /\ IF OwnCount
       THEN cnt' = [cnt EXCEPT ![k][i] = @ - 1]
       ELSE cnt' = [cnt EXCEPT ![k][i] = 0]
  /\ UNCHANGED <<pst, fin, q, ctl, tgt, offered, poison, decodeVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The transfer worker of rank {k} goes on to write; step 2 counts the chunk only now.
\* @process prefill-worker
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1697-1699@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:90bf75c1536debc5
\* @split count apart from the status check before it
WCount(k) == LET i == wk[k].req IN
  /\ wk[k].pc = "counting"
  /\ wk' = [wk EXCEPT ![k].pc = "start"]
  /\ IF Counted /\ ~CountFirst
       THEN cnt' = [cnt EXCEPT ![k][i] = @ + 1] ELSE UNCHANGED cnt
  /\ UNCHANGED <<pst, fin, q, ctl, tgt, offered, poison, decodeVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The transfer worker of rank {k} looks up where to write and starts the write.
\* @process prefill-worker
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1177-1181@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:cc65ae0809e16422
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:569-572@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:699b98e5cce33a0e
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1192-1196@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:cc65ae0809e16422
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:569-572@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:699b98e5cce33a0e
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1707-1711@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:cc65ae0809e16422
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:656-659@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:699b98e5cce33a0e
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1673-1677@adca19c4970933fa1990fecf3541b527d3153594 sha256:cc65ae0809e16422
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:652-655@adca19c4970933fa1990fecf3541b527d3153594 sha256:699b98e5cce33a0e
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1147-1147@adca19c4970933fa1990fecf3541b527d3153594 sha256:1801e152b9f5d663
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1160-1160@adca19c4970933fa1990fecf3541b527d3153594 sha256:c5e66ffe446a8f53
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1764-1764@adca19c4970933fa1990fecf3541b527d3153594 sha256:823abb627bcf4092
\* @split the write starts here and lands in Lands
\* @starts write(w) when flight gains w
WStart(k) == LET i == wk[k].req IN
  /\ wk[k].pc = "start"
  /\ \E m \in Reqs :
       /\ Finds(k, i, m)
       /\ IF pst[k][m] \notin {"none", "boot", "refused"}
            THEN /\ wk' = [wk EXCEPT ![k].pc = "xfer"]
                 /\ flight' = flight \cup
                      {<<k, i, wk[k].chunk, h>> : h \in Handles}
            ELSE /\ UNCHANGED flight
                 /\ IF GiveBack
                      THEN wk' = [wk EXCEPT ![k].pc = "finish"]
                      ELSE wk' = [wk EXCEPT ![k] = Idle]
  /\ UNCHANGED <<pst, fin, q, ctl, cnt, tgt, offered, poison, decodeVars, netVars>>
  /\ UNCHANGED <<content, gone, noproof>>

Running(k) == {h \in Handles : <<k, wk[k].req, wk[k].chunk, h>> \in flight}

\* All writes of the chunk have ended well; after the last chunk rank {k} reports success.
\* @process prefill-worker
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1318-1328@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:ee3a23d694433e24
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1333-1343@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:ee3a23d694433e24
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1933-1943@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:ee3a23d694433e24
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1899-1909@adca19c4970933fa1990fecf3541b527d3153594 sha256:ee3a23d694433e24
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1358-1359@adca19c4970933fa1990fecf3541b527d3153594 sha256:6eaa775e2f814a15
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1367-1368@adca19c4970933fa1990fecf3541b527d3153594 sha256:e416c4777e5c0223
\* @split return of the call apart from the start of the write
\* @sends m(k) to decode-manager when up[k] queues m
WDone(k) == LET i == wk[k].req IN
  /\ wk[k].pc = "xfer"
  /\ wk[k].err = {}
  /\ Running(k) = {}
  /\ wk' = [wk EXCEPT ![k].pc = "finish"]
  /\ IF wk[k].chunk = Last
       THEN /\ Say(k, "success", i)
            /\ \E m \in Reqs :
                 /\ Finds(k, i, m)
                 /\ pst' = [pst EXCEPT ![k][m] = "success"]
       ELSE UNCHANGED <<up, pst>>
  /\ UNCHANGED <<fin, q, ctl, cnt, tgt, offered, poison, decodeVars, down>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* A write of the chunk was reported as failed; rank {k} marks the request as failed and, with Mooncake, tells D.
\* @process prefill-worker
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1287-1294@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:f29cfde819ddab02
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1302-1309@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:f29cfde819ddab02
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1880-1887@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:f29cfde819ddab02
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1846-1853@adca19c4970933fa1990fecf3541b527d3153594 sha256:f29cfde819ddab02
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1352-1355@adca19c4970933fa1990fecf3541b527d3153594 sha256:99747109e640a743
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1405-1405@adca19c4970933fa1990fecf3541b527d3153594 sha256:0114f8564f5b510b
\* @split return of the call apart from the start of the write
\* @sends m(k) to decode-manager when up[k] queues m
WFail(k) == LET i == wk[k].req IN
  /\ wk[k].pc = "xfer"
  /\ wk[k].err # {}
  /\ IF DrainAll THEN Running(k) \subseteq wk[k].err ELSE TRUE
  /\ IF pst[k][i] # "none"
       THEN pst' = [pst EXCEPT ![k][i] = "failed"] ELSE UNCHANGED pst
  /\ IF Unproven
       THEN poison' = [poison EXCEPT ![k] = @ \cup {i}] ELSE UNCHANGED poison
  /\ IF GiveBack
       THEN wk' = [wk EXCEPT ![k].pc = "finish", ![k].err = {}] /\ Say(k, "failed", i)
       ELSE wk' = [wk EXCEPT ![k] = Idle] /\ UNCHANGED up
  /\ UNCHANGED <<fin, q, ctl, cnt, tgt, offered, decodeVars, down>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The transfer worker of rank {k} gives the count of the chunk back.
\* @process prefill-worker
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1967-1967@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:fc8e4439559d761c
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1933-1933@adca19c4970933fa1990fecf3541b527d3153594 sha256:fc8e4439559d761c
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:1362-1362@adca19c4970933fa1990fecf3541b527d3153594 sha256:5cafe70a7f88e9bc
\* @split the count goes before the ack
WFinish(k) == LET i == wk[k].req IN
  /\ wk[k].pc = "finish"
  /\ wk' = [wk EXCEPT ![k].pc = "answer"]
  /\ IF Counted
       THEN cnt' = [cnt EXCEPT ![k][i] = @ - 1] ELSE UNCHANGED cnt
  /\ UNCHANGED <<pst, fin, q, ctl, tgt, offered, poison, decodeVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The transfer worker of rank {k} sends the ack that it owes, if nothing of the room is counted.
\* @process prefill-worker
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1643-1650@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:9955d4c164a4a817
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:394-401@adca19c4970933fa1990fecf3541b527d3153594 sha256:9955d4c164a4a817
\* @split the send ends this step; D reads the ack in DHear
\* @sends m(k) to decode-manager when up[k] queues m
WAnswer(k) == LET i == wk[k].req IN
  /\ wk[k].pc = "answer"
  /\ wk' = [wk EXCEPT ![k] = Idle]
  /\ IF Quiet(k, i) /\ \E j \in Reqs : Owes(k, i, j)
       THEN \E j \in Reqs :
              /\ Owes(k, i, j)
              /\ tgt' = [tgt EXCEPT ![k] = @ \ {j}]
              /\ Answer(k, j)
       ELSE UNCHANGED <<tgt, up>>
  /\ UNCHANGED <<pst, fin, q, ctl, cnt, offered, poison, decodeVars, down>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

Heard(k, kind) == ctl[k].pc = "idle" /\ down[k] # <<>> /\ Head(down[k])[1] = kind

\* The control thread of rank {k} reads where D's pages are.
\* @process prefill-control
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1422-1422@86b9bf5812b72968013a3bb1618ee83183ff35d5 sha256:cd74f86ed67c9155
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1475-1475@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:cd74f86ed67c9155
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2135-2135@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:cd74f86ed67c9155
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2105-2105@adca19c4970933fa1990fecf3541b527d3153594 sha256:cd74f86ed67c9155
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:2762-2762@adca19c4970933fa1990fecf3541b527d3153594 sha256:a02e0c70c4a978fb
\* @split received here, sent by D in DAlloc
\* @receives m(k) when down[k] delivers m
CMeta(k) == LET i == Head(down[k])[2] IN
  /\ Heard(k, "meta")
  /\ down' = [down EXCEPT ![k] = Tail(@)]
  /\ pst' = [pst EXCEPT ![k][i] = "wait"]
  /\ UNCHANGED <<fin, q, wk, ctl, cnt, tgt, offered, poison, decodeVars, up>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The control thread of rank {k} reads an ABORT and looks whether the room is active.
\* @process prefill-control
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1405-1413@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:7c64cd186ff5a667
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2027-2034@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:24a1255769fa8de6
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1993-2000@adca19c4970933fa1990fecf3541b527d3153594 sha256:24a1255769fa8de6
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:2659-2662@adca19c4970933fa1990fecf3541b527d3153594 sha256:f05e7338870fffab
\* @split status read apart from the change that follows it
\* @receives m(k) when down[k] delivers m
CAbort(k) == LET i == Head(down[k])[2] IN
  /\ Heard(k, "abort")
  /\ down' = [down EXCEPT ![k] = Tail(@)]
  /\ \E m \in Reqs :
       /\ Finds(k, i, m)
       /\ IF pst[k][m] \notin {"none", "success"}
            THEN ctl' = [ctl EXCEPT ![k] = [pc |-> "first", req |-> i]]
            ELSE ctl' = [ctl EXCEPT ![k] = [pc |-> "inactive", req |-> i]]
  /\ UNCHANGED <<pst, fin, q, wk, cnt, tgt, offered, poison, decodeVars, up>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

MarkFailed(k, i) ==
  \E m \in Reqs :
    /\ Finds(k, i, m)
    /\ IF pst[k][m] # "none"
         THEN pst' = [pst EXCEPT ![k][m] = IF @ \in {"boot", "refused"} THEN "refused" ELSE "failed"]
         ELSE UNCHANGED pst
Register(k, i) == tgt' = [tgt EXCEPT ![k] = @ \cup {i}]

\* The control thread of rank {k} marks the room as failed.
\* @process prefill-control
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1414-1414@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:3b1c36c6c223204a
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2044-2044@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:a623690f0a3b41d2
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2010-2010@adca19c4970933fa1990fecf3541b527d3153594 sha256:a623690f0a3b41d2
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:2668-2668@adca19c4970933fa1990fecf3541b527d3153594 sha256:18e75875345c01a0
\* @split one change of shared state at a time: mark, register, try
CFirst(k) == LET i == ctl[k].req IN
  /\ ctl[k].pc = "first"
  /\ ctl' = [ctl EXCEPT ![k].pc = "second"]
  /\ IF WorkerAcks /\ ~FailFirst
       THEN Register(k, i) /\ UNCHANGED pst
       ELSE MarkFailed(k, i) /\ UNCHANGED tgt
  /\ UNCHANGED <<fin, q, wk, cnt, offered, poison, decodeVars, netVars>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The control thread of rank {k} registers where to send the ack (step 1: sends it at once).
\* @process prefill-control
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1425-1432@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:0a91ca44cbc8e31f
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2045-2048@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:14b58d7fad3f8524
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2072-2081@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:5620cc278872903d
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2011-2013@adca19c4970933fa1990fecf3541b527d3153594 sha256:63257cc9776ed715
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:403-409@adca19c4970933fa1990fecf3541b527d3153594 sha256:faa111a9b976390e
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:2687-2689@adca19c4970933fa1990fecf3541b527d3153594 sha256:fc340c54649f064a
\* @split one change of shared state at a time: mark, register, try
\* @sends m(k) to decode-manager when up[k] queues m
CSecond(k) == LET i == ctl[k].req IN
  /\ ctl[k].pc = "second"
  /\ IF ~WorkerAcks
       THEN /\ Say(k, "ack", i)
            /\ ctl' = [ctl EXCEPT ![k] = Listen]
            /\ UNCHANGED <<pst, tgt>>
       ELSE /\ IF FailFirst
                 THEN Register(k, i) /\ UNCHANGED pst
                 ELSE MarkFailed(k, i) /\ UNCHANGED tgt
            /\ IF TryOnce
                 THEN ctl' = [ctl EXCEPT ![k].pc = "try"]
                 ELSE ctl' = [ctl EXCEPT ![k] = Listen]
            /\ UNCHANGED up
  /\ UNCHANGED <<fin, q, wk, cnt, offered, poison, decodeVars, down>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The control thread of rank {k} sends the ack if nothing of the room is counted.
\* @process prefill-control
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2016-2016@adca19c4970933fa1990fecf3541b527d3153594 sha256:326f36e1e54d18ba
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:2690-2690@adca19c4970933fa1990fecf3541b527d3153594 sha256:4fc4f4842888294f
\* @anchor sglang:python/sglang/srt/disaggregation/common/conn.py:394-401@adca19c4970933fa1990fecf3541b527d3153594 sha256:9955d4c164a4a817
\* @split the send ends this step; D reads the ack in DHear
\* @sends m(k) to decode-manager when up[k] queues m
CTry(k) == LET i == ctl[k].req IN
  /\ ctl[k].pc = "try"
  /\ ctl' = [ctl EXCEPT ![k] = Listen]
  /\ IF Quiet(k, i) /\ i \in tgt[k]
       THEN tgt' = [tgt EXCEPT ![k] = @ \ {i}] /\ Answer(k, i)
       ELSE UNCHANGED <<tgt, up>>
  /\ UNCHANGED <<pst, fin, q, wk, cnt, offered, poison, decodeVars, down>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

\* The room is not active: the control thread of rank {k} acks, or step 3 looks at the count first.
\* @process prefill-control
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:1425-1432@57909f731b0fb325f0313946cf358a23fbe0fd00 sha256:0a91ca44cbc8e31f
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2053-2057@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:69e3f1d45f6cc3b4
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2072-2081@97dedd1ce9b161c476e0a91106857f210b5bfa41 sha256:5620cc278872903d
\* @anchor sglang:python/sglang/srt/disaggregation/mooncake/conn.py:2021-2027@adca19c4970933fa1990fecf3541b527d3153594 sha256:7d656c0f5d89ba4c
\* @anchor sglang:python/sglang/srt/disaggregation/nixl/conn.py:2691-2692@adca19c4970933fa1990fecf3541b527d3153594 sha256:207049b54a3343d6
\* @split the send ends this step; D reads the ack in DHear
\* @sends m(k) to decode-manager when up[k] queues m
CInactive(k) == LET i == ctl[k].req IN
  /\ ctl[k].pc = "inactive"
  /\ IF CountCleared /\ ~Quiet(k, i)
       THEN /\ UNCHANGED up
            /\ IF OweCleared
                 THEN Register(k, i) /\ ctl' = [ctl EXCEPT ![k].pc = "try"]
                 ELSE UNCHANGED tgt /\ ctl' = [ctl EXCEPT ![k] = Listen]
       ELSE /\ Answer(k, i)
            /\ UNCHANGED tgt
            /\ ctl' = [ctl EXCEPT ![k] = Listen]
  /\ UNCHANGED <<pst, fin, q, wk, cnt, offered, poison, decodeVars, down>>
  /\ UNCHANGED <<flight, content, gone, noproof>>

Engine ==
  \/ \E i \in Reqs : DAlloc(i)
  \/ DAllocOther
  \/ \E i \in Reqs : DAbortEarly(i)
  \/ \E i \in Reqs : DAbort(i)
  \/ \E i \in Reqs : DAbortRest(i)
  \/ \E i \in Reqs : DPopAborted(i)
  \/ \E i \in Reqs : DPopFailed(i)
  \/ \E i \in Reqs : DCommit(i)
  \/ \E i \in Reqs : DResolve(i)
  \/ \E i \in Reqs : DReleaseLate(i)
  \/ \E i \in Reqs : DSetAside(i)
  \/ \E k \in Ranks : DHear(k)
  \/ \E j \in Jobs : POffer(j)
  \/ \E j \in Jobs : PAbort(j)
  \/ \E j \in Jobs : PDrop(j)
  \/ \E j \in Jobs : PConclude(j)
  \/ \E k \in Ranks : WTake(k)
  \/ \E k \in Ranks : WCheck(k)
  \/ \E k \in Ranks : WSkip(k)
  \/ \E k \in Ranks : WCount(k)
  \/ \E k \in Ranks : WStart(k)
  \/ \E k \in Ranks : WDone(k)
  \/ \E k \in Ranks : WFail(k)
  \/ \E k \in Ranks : WFinish(k)
  \/ \E k \in Ranks : WAnswer(k)
  \/ \E k \in Ranks : CMeta(k)
  \/ \E k \in Ranks : CAbort(k)
  \/ \E k \in Ranks : CFirst(k)
  \/ \E k \in Ranks : CSecond(k)
  \/ \E k \in Ranks : CTry(k)
  \/ \E k \in Ranks : CInactive(k)

Next ==
  \/ \E i \in Reqs : UserAborts(i)
  \/ \E i \in Reqs : Arrives(i)
  \/ OtherCommits
  \/ \E i \in Reqs : DeadlinePasses(i)
  \/ \E w \in Writes : HandleFails(w)
  \/ \E w \in Writes : CallGivesUp(w)
  \/ \E w \in Writes : Lands(w)
  \/ \E i \in Reqs : DAlloc(i)
  \/ DAllocOther
  \/ \E i \in Reqs : DAbortEarly(i)
  \/ \E i \in Reqs : DAbort(i)
  \/ \E i \in Reqs : DAbortRest(i)
  \/ \E i \in Reqs : DPopAborted(i)
  \/ \E i \in Reqs : DPopFailed(i)
  \/ \E i \in Reqs : DCommit(i)
  \/ \E i \in Reqs : DResolve(i)
  \/ \E i \in Reqs : DReleaseLate(i)
  \/ \E i \in Reqs : DSetAside(i)
  \/ \E k \in Ranks : DHear(k)
  \/ \E j \in Jobs : POffer(j)
  \/ \E j \in Jobs : PAbort(j)
  \/ \E j \in Jobs : PDrop(j)
  \/ \E j \in Jobs : PConclude(j)
  \/ \E k \in Ranks : WTake(k)
  \/ \E k \in Ranks : WCheck(k)
  \/ \E k \in Ranks : WSkip(k)
  \/ \E k \in Ranks : WCount(k)
  \/ \E k \in Ranks : WStart(k)
  \/ \E k \in Ranks : WDone(k)
  \/ \E k \in Ranks : WFail(k)
  \/ \E k \in Ranks : WFinish(k)
  \/ \E k \in Ranks : WAnswer(k)
  \/ \E k \in Ranks : CMeta(k)
  \/ \E k \in Ranks : CAbort(k)
  \/ \E k \in Ranks : CFirst(k)
  \/ \E k \in Ranks : CSecond(k)
  \/ \E k \in Ranks : CTry(k)
  \/ \E k \in Ranks : CInactive(k)

\* Every thread of the engines goes on, a write in flight lands, and time passes.
\* No fault is fair: no client has to leave, no write has to fail.
Fairness ==
  /\ WF_vars(Engine)
  /\ WF_vars(\E w \in Writes : Lands(w))
  /\ WF_vars(\E i \in Reqs : DeadlinePasses(i))

Spec == Init /\ [][Next]_vars /\ Fairness
=============================================================================
