------------------------------- MODULE Ledger -------------------------------
\* The page ledger of both workers, and what they do with it. A page is known by
\* its ticket <<page, generation>>; whoever may touch it holds a lease: xl of
\* transfers, kl of kernels (and host copies), refs of requests that read it
\* from the prefix cache.
EXTENDS Environment

CONSTANTS
  Caches    \* workers with a prefix cache

CONSTANTS   \* the guards
  Drain,        \* a page that a transfer's lease is open on is not freed but drains
  Fence,        \* ... and one that a kernel's lease is open on
  PerTransfer,  \* each transfer has a lease of its own, not each request
  Deadlines,    \* a request ends at its deadline
  Quarantine,   \* without evidence of its end a transfer's page is set aside, not freed
  LateFrees,    \* evidence that comes later ends the quarantine
  DeadWritesLive,   \* a failed write proves nothing about its target
  ClockProvesNothing, \* a call that gave up proves nothing
  OnlyDoneFills,    \* only a completed transfer makes a page complete
  DropLate,     \* a message for another generation of its page is dropped
  ServeOnce,    \* an exposed ticket is answered once
  Session,      \* a transfer is addressed to one incarnation of the peer, not to its place
  OwnWord,      \* a worker answers only for its own incarnation
  FreshGens,    \* a restarted worker's generations begin above all earlier ones
  GenEnds,      \* a page whose generations are used up is not given out
  FirstShared,  \* the second complete page of a prefix is a duplicate
  Pinned,       \* a page with references or leases is not evicted
  LeafFirst,    \* a page is not evicted before the longer prefixes that go through it
  FullShared,   \* only complete pages are published
  TableCheck    \* a kernel begins only over complete pages

-----------------------------------------------------------------------------
\* The ledger's own steps, on the entry c of a page.

Freed(c) == [c EXCEPT !.st = "FREE", !.own = None, !.key = None, !.full = FALSE, !.refs = {}]

Idle(c) == (Drain => c.xl = {}) /\ (Fence => c.kl = {})

\* Its owner lets go.
Released(c) == IF Idle(c) THEN Freed(c) ELSE [c EXCEPT !.st = "DRAINING", !.own = None]

\* Its owner lets go at the deadline.
TimedOut(c) ==
  CASE c.xl = {} -> Released(c)
    [] ~Quarantine -> Freed(c)
    [] OTHER -> [c EXCEPT !.st = "QUARANTINED", !.own = None]

\* A lease was closed: the last one frees what nobody owns.
Settled(c) ==
  IF Idle(c) /\ (c.st = "DRAINING" \/ (c.st = "QUARANTINED" /\ LateFrees)) THEN Freed(c) ELSE c

Lease(r, c) == <<r, c.gen>>

\* A lease of the transfer that moves to or from `ticket` at the exposer.
MoveLease(r, gen, ticket) == <<r, gen, IF PerTransfer THEN ticket ELSE None>>

\* r lets go of all it has at s; `c` is what becomes of a page it owns.
LetsGo(s, r, c) ==
  pg' = [p \in Pages |->
          CASE Side(p) # s -> pg[p]
            [] pg[p].own = r -> c[p]
            [] OTHER -> [pg[p] EXCEPT !.refs = @ \ {r}]]

Shared(s, k) == {p \in PagesOf(s) : pg[p].st = "SHARED" /\ pg[p].key = k}
Held(s, r) == {i \in Positions : \E p \in PagesOf(s) : Has(s, r, p, i)}

-----------------------------------------------------------------------------
\* Room r takes a reference to the next page of its prompt's prefix in the cache.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:177-206@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:898ebb0d93e5faeb
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:98-103@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:b85f42b3804989a0
Hit(s, r, p) ==
  /\ up[s] /\ ph[s][r] = "queue"
  /\ Cardinality(Held(s, r)) < Length
  /\ p \in Shared(s, Key(r, Cardinality(Held(s, r)) + 1))
  /\ pg' = [pg EXCEPT ![p].refs = @ \cup {r}]
  /\ UNCHANGED <<ph, up, data, nic, net, twice, served, inc>>

\* Room r gets free pages for the rest of its prompt; f says which page is for which position.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:65-77@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:175e3e2cfaba9241
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:143-145@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:e6f1c8214ee06ce9
Alloc(s, r, f) ==
  /\ up[s] /\ ph[s][r] = "queue"
  /\ {f[p] : p \in DOMAIN f} = Positions \ Held(s, r)
  /\ Cardinality(DOMAIN f) = Length - Cardinality(Held(s, r))
  /\ \A p \in DOMAIN f : /\ Side(p) = s
                         /\ pg[p].st = "FREE"
                         /\ GenEnds => pg[p].gen < MaxGen
  /\ pg' = [p \in Pages |->
             IF p \in DOMAIN f
               THEN [pg[p] EXCEPT !.st = "PRIVATE", !.gen = (@ % MaxGen) + 1, !.own = r, !.key = Key(r, f[p])]
               ELSE pg[p]]
  /\ ph' = [ph EXCEPT ![s][r] = IF s = "P" THEN "fill" ELSE "wait"]
  /\ UNCHANGED <<up, data, nic, net, twice, served, inc>>

\* P computes the prompt, D decodes: a kernel over all pages of r begins.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:177-206@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:898ebb0d93e5faeb
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:78-82@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:a55cf6badf5fb26a
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:98-103@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:b85f42b3804989a0
KernelBegin(s, r) ==
  /\ up[s]
  /\ IF s = "P" THEN ph[s][r] = "fill" ELSE ph[s][r] \in {"wait", "shown"}
  /\ Held(s, r) = Positions
  /\ s = "D" /\ TableCheck => \A p \in PagesOf(s), i \in Positions : Has(s, r, p, i) => pg[p].full
  /\ pg' = [p \in Pages |-> IF \E i \in Positions : Has(s, r, p, i)
                              THEN [pg[p] EXCEPT !.kl = @ \cup {Lease(r, pg[p])}] ELSE pg[p]]
  /\ ph' = [ph EXCEPT ![s][r] = "run"]
  /\ UNCHANGED <<up, data, nic, net, twice, served, inc>>

Over(r, c) == {l \in c.kl : l[1] = r}

\* The kernel ends, whatever became of r meanwhile; P's has written its pages.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:229-234@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:6e5bdd5a7422bfd6
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:107-113@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:95d40edb66f2305b
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:140-145@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:f4962315d498a331
KernelEnd(s, r) ==
  /\ up[s]
  /\ \E p \in PagesOf(s) : Over(r, pg[p]) # {}
  /\ pg' = [p \in Pages |->
             IF Side(p) = s /\ Over(r, pg[p]) # {}
               THEN Settled([pg[p] EXCEPT !.kl = @ \ Over(r, pg[p])])
               ELSE pg[p]]
  /\ data' = [p \in Pages |->
               IF s = "P" /\ Side(p) = s /\ Over(r, pg[p]) # {} /\ ~pg[p].full
                 THEN IF Lease(r, pg[p]) \in pg[p].kl /\ pg[p].key # None THEN pg[p].key ELSE Junk
                 ELSE data[p]]
  /\ ph' = [ph EXCEPT ![s][r] = IF @ # "run" THEN @ ELSE "done"]
  /\ UNCHANGED <<up, nic, net, twice, served, inc>>

\* P's pages of r, which its kernel has filled, are complete.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:85-90@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:a4451812664df6dc
Complete(r) ==
  /\ up["P"] /\ ph["P"][r] = "done"
  /\ pg' = [p \in Pages |-> IF Side(p) = "P" /\ pg[p].own = r THEN [pg[p] EXCEPT !.full = TRUE] ELSE pg[p]]
  /\ ph' = [ph EXCEPT !["P"][r] = "hold"]
  /\ UNCHANGED <<up, data, nic, net, twice, served, inc>>

\* The complete pages of r go into the prefix cache; where another was first, they stay r's own.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:105-122@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:7ae8b7a3b87fa8b3
Publish(s, r) ==
  /\ s \in Caches
  /\ up[s] /\ ph[s][r] # "over"
  /\ Held(s, r) = Positions
  /\ \E p \in PagesOf(s) : pg[p].own = r /\ pg[p].st = "PRIVATE"
  /\ FullShared => \A p \in PagesOf(s) : pg[p].own = r => pg[p].full
  /\ pg' = [p \in Pages |->
             CASE (Side(p) # s \/ pg[p].own # r) -> pg[p]
               [] FirstShared /\ Shared(s, pg[p].key) # {} -> [pg[p] EXCEPT !.st = "DUP"]
               [] OTHER -> [pg[p] EXCEPT !.st = "SHARED", !.own = None, !.refs = {r}]]
  /\ UNCHANGED <<ph, up, data, nic, net, twice, served, inc>>

\* The cache gives a page back.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:130-140@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:82bac5797936282e
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:140-145@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:f4962315d498a331
Evict(p) ==
  /\ up[Side(p)]
  /\ pg[p].st = "SHARED"
  /\ Pinned => pg[p].refs = {} /\ Idle(pg[p])
  /\ LeafFirst => Shared(Side(p), <<pg[p].key[1], pg[p].key[2] + 1>>) = {}
  /\ pg' = [pg EXCEPT ![p] = Freed(@)]
  /\ UNCHANGED <<ph, up, data, nic, net, twice, served, inc>>

-----------------------------------------------------------------------------
\* An exposed ticket carries the sender's session (`from`) and the incarnation it is meant for.
Offer(r, i, ticket) == [kind |-> "expose", room |-> r, pos |-> i, ticket |-> ticket,
                        from |-> inc[Exposer], to |-> inc[Mover]]
Report(r, i, ticket, what) == [kind |-> "report", room |-> r, pos |-> i, ticket |-> ticket, what |-> what]

Take(m) ==
  /\ m \in net
  /\ twice' = twice \ {m}
  /\ net' = IF m \in twice THEN net ELSE net \ {m}

\* The exposer opens r's pages to the mover and tells it the tickets: P when they are computed, D when it has them.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:177-206@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:898ebb0d93e5faeb
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:78-82@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:a55cf6badf5fb26a
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:98-103@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:b85f42b3804989a0
Expose(r) == LET s == Exposer IN
  /\ up[s]
  /\ ph[s][r] = (IF Pull THEN "hold" ELSE "wait")
  /\ pg' = [p \in Pages |-> IF Side(p) = s /\ (pg[p].own = r \/ (Pull /\ r \in pg[p].refs))
                              THEN [pg[p] EXCEPT !.xl = @ \cup {MoveLease(r, pg[p].gen, <<p, pg[p].gen>>)}] ELSE pg[p]]
  /\ net' = net \cup {Offer(r, i, <<p, pg[p].gen>>) :
                        <<p, i>> \in {<<p, i>> \in PagesOf(s) \X Positions :
                                         Has(s, r, p, i) /\ (Pull \/ pg[p].own = r)}}
  /\ ph' = [ph EXCEPT ![s][r] = "shown"]
  /\ UNCHANGED <<up, data, nic, twice, served, inc>>

\* The mover may answer for this ticket: it has not done so, nor has an earlier incarnation of it.
Fresh(m) == /\ ServeOnce => m.ticket[2] > served[m.ticket[1]]
            /\ OwnWord => m.to = inc[Mover]

\* The mover's page p for the position that m speaks of, ready to be moved.
Ready(m, p) ==
  /\ Has(Mover, m.room, p, m.pos)
  /\ IF Pull THEN pg[p].own = m.room /\ ~pg[p].full /\ pg[p].xl = {} ELSE pg[p].full

\* The mover opens its own page and starts the transfer.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:177-206@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:898ebb0d93e5faeb
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:78-82@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:a55cf6badf5fb26a
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:98-103@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:b85f42b3804989a0
Post(k, p) ==
  /\ up[Mover]
  /\ \E m \in net :
      /\ m.kind = "expose" /\ m.ticket = k
      /\ Take(m) /\ Fresh(m)
      /\ ph[Mover][m.room] # "over" /\ Ready(m, p)
      /\ pg' = [pg EXCEPT ![p].xl = @ \cup {MoveLease(m.room, pg[p].gen, m.ticket)}]
      /\ LET t == [room |-> m.room, pos |-> m.pos, reads |-> TRUE, writes |-> TRUE, said |-> "none",
                   src |-> IF Pull THEN m.ticket ELSE <<p, pg[p].gen>>,
                   dst |-> IF Pull THEN <<p, pg[p].gen>> ELSE m.ticket] IN
         IF Session /\ m.from # inc[Exposer]
           THEN nic' = nic \cup {[t EXCEPT !.reads = FALSE, !.writes = FALSE, !.said = "failed"]}
           ELSE nic' = nic \cup {t}
      /\ served' = [served EXCEPT ![m.ticket[1]] = m.ticket[2]]
      /\ UNCHANGED <<ph, up, data, inc>>

Wanted(m) == \/ ph[Mover][m.room] = "queue"
             \/ \E p \in PagesOf(Mover) : Has(Mover, m.room, p, m.pos) /\ ~pg[p].full
             \/ \E p \in PagesOf(Mover) : Ready(m, p)

\* The mover has no use for the ticket, never had and never will: it says so.
\* @process worker
\* @ours the rule of whoever moves the data, beside the ledger: no lines yet
Refuse(k) ==
  /\ up[Mover]
  /\ \E m \in net :
      /\ m.kind = "expose" /\ m.ticket = k
      /\ Fresh(m)
      /\ ph[Mover][m.room] = "over" \/ ~Wanted(m)
      /\ twice' = twice \ {m}
      /\ net' = (IF m \in twice THEN net ELSE net \ {m}) \cup
                {Report(m.room, m.pos, m.ticket, "refused")}
      /\ served' = [served EXCEPT ![m.ticket[1]] = m.ticket[2]]
      /\ UNCHANGED <<pg, ph, up, data, nic, inc>>

\* A ticket that was answered for, or was meant for an earlier incarnation, is counted and dropped.
\* @process worker
\* @ours the rule of whoever moves the data, beside the ledger: no lines yet
DropExpose(k) ==
  /\ up[Mover]
  /\ \E m \in net :
      /\ m.kind = "expose" /\ m.ticket = k
      /\ Take(m) /\ ~Fresh(m)
      /\ UNCHANGED <<pg, ph, up, data, nic, served, inc>>

\* Which answer of the transport proves that the page at this end is quiet.
QuietHere(said) == said \in {"done", "failed"} \/ ~ClockProvesNothing
\* ... and at the other end.
QuietThere(said) == said \in {"done", "refused"} \/ (said = "failed" /\ (Pull \/ ~DeadWritesLive))

\* Which answer says that the target holds the data.
Fills(said) == OnlyDoneFills => said = "done"

\* The mover asks the transport, closes its lease if the answer is evidence, and tells the exposer.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:244-260@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:edfa0124a8b7cce0
\* @anchor veriserve:examples/veriserve/veriserve/evidence.py:76-76@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:f40ace3c86db964e
\* @anchor veriserve:examples/veriserve/veriserve/evidence.py:81-81@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:f2c69cb86318cb6d
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:91-95@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:306ad63ddc62d34c
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:107-113@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:95d40edb66f2305b
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:140-145@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:f4962315d498a331
Poll(k) ==
  /\ up[Mover]
  /\ \E t \in nic :
      LET here == IF Pull THEN t.dst ELSE t.src
          c == pg[here[1]]
          l == MoveLease(t.room, here[2], k) IN
      /\ There(t) = k
      /\ t.said \in {"done", "failed", "gave up"}
      /\ nic' = (nic \ {t}) \cup (IF t.reads \/ t.writes THEN {[t EXCEPT !.said = "told"]} ELSE {})
      /\ IF QuietHere(t.said)
           THEN /\ pg' = [pg EXCEPT ![here[1]] = Settled(
                           [c EXCEPT !.xl = @ \ {l},
                                     !.full = IF Pull /\ l \in c.xl /\ c.st = "PRIVATE" /\ Fills(t.said) THEN TRUE ELSE @])]
                /\ net' = net \cup {Report(t.room, t.pos, k,
                                           IF t.said = "done" THEN "done" ELSE "failed")}
           ELSE UNCHANGED <<pg, net>>
      /\ UNCHANGED <<ph, up, data, twice, served, inc>>

\* The exposer's page and lease that a report speaks of are still the same.
Timely(m) == LET p == m.ticket[1] IN
  IF DropLate THEN pg[p].gen = m.ticket[2] /\ MoveLease(m.room, m.ticket[2], m.ticket) \in pg[p].xl ELSE pg[p].st # "FREE"

\* The exposer hears how its ticket ended, and closes the lease if that is evidence.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:244-260@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:edfa0124a8b7cce0
\* @anchor veriserve:examples/veriserve/veriserve/evidence.py:76-76@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:f40ace3c86db964e
\* @anchor veriserve:examples/veriserve/veriserve/evidence.py:81-81@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:f2c69cb86318cb6d
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:91-95@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:306ad63ddc62d34c
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:107-113@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:95d40edb66f2305b
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:140-145@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:f4962315d498a331
Hear(k) ==
  /\ up[Exposer]
  /\ \E m \in net :
      LET p == k[1]
          c == pg[p] IN
      /\ m.kind = "report" /\ m.ticket = k
      /\ Take(m) /\ Timely(m)
      /\ IF QuietThere(m.what)
           THEN pg' = [pg EXCEPT ![p] = Settled(
                        [c EXCEPT !.xl = IF DropLate THEN @ \ {MoveLease(m.room, m.ticket[2], m.ticket)} ELSE {},
                                  !.full = IF ~Pull /\ c.st = "PRIVATE" /\ Fills(m.what) THEN TRUE ELSE @])]
           ELSE UNCHANGED pg
      /\ UNCHANGED <<ph, up, data, nic, served, inc>>

\* A report for an earlier generation, or for a lease that is closed, is counted and dropped.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:246-251@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:e7503cb03ad5783a
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:264-265@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:af220e080edb7bd6
DropLateReport(k) ==
  /\ up[Exposer]
  /\ \E m \in net :
      /\ m.kind = "report" /\ m.ticket = k
      /\ Take(m) /\ ~Timely(m)
      /\ UNCHANGED <<pg, ph, up, data, nic, served, inc>>

-----------------------------------------------------------------------------
\* Room r is through at s: D has decoded, P has computed and nothing moves any more.
Through(s, r) ==
  IF s = "D" THEN ph[s][r] = "done"
  ELSE /\ ph[s][r] \in {"hold", "shown"}
       /\ \A p \in PPages : Over(r, pg[p]) = {} /\ \A l \in pg[p].xl : l[1] # r
       /\ IF Pull THEN ph[s][r] = "shown" ELSE \E p \in DPages : served[p] > 0

\* Room r ends: it is through, cancelled, or failed.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:151-151@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:6d5259f53a504c93
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:115-128@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:116ace8f97087744
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:107-113@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:95d40edb66f2305b
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:132-136@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:5b91f6d8f7e3f37a
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:140-145@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:f4962315d498a331
Release(s, r) ==
  /\ up[s] /\ ph[s][r] # "over"
  /\ ClientsAbort \/ Through(s, r)
  /\ LetsGo(s, r, [p \in Pages |-> Released(pg[p])])
  /\ ph' = [ph EXCEPT ![s][r] = "over"]
  /\ UNCHANGED <<up, data, nic, net, twice, served, inc>>

\* Room r is at its deadline.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:162-162@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:4afa0a9c32232b90
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:115-128@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:116ace8f97087744
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:107-113@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:95d40edb66f2305b
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:132-136@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:5b91f6d8f7e3f37a
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:140-145@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:f4962315d498a331
Timeout(s, r) ==
  /\ Deadlines
  /\ up[s] /\ ph[s][r] # "over"
  /\ LetsGo(s, r, [p \in Pages |-> TimedOut(pg[p])])
  /\ ph' = [ph EXCEPT ![s][r] = "over"]
  /\ UNCHANGED <<up, data, nic, net, twice, served, inc>>

\* A page drains for longer than its deadline.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger.py:170-173@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:d4f26549d9ec1229
Expire(p) ==
  /\ Deadlines
  /\ up[Side(p)]
  /\ pg[p].st = "DRAINING" /\ pg[p].xl # {}
  /\ pg' = [pg EXCEPT ![p] = TimedOut(@)]
  /\ UNCHANGED <<ph, up, data, nic, net, twice, served, inc>>

\* A worker starts again, with a new ledger; its requests may come again, under their old numbers.
\* @process worker
\* @anchor veriserve:examples/veriserve/veriserve/ledger_pages.py:29-52@0abc585f7e671dc68e7d13960b0a8d085d6b410e sha256:4ca6465300892868
Restart(s) ==
  /\ ~up[s]
  /\ up' = [up EXCEPT ![s] = TRUE]
  /\ pg' = [p \in Pages |-> IF Side(p) = s /\ ~FreshGens THEN Blank ELSE pg[p]]
  /\ served' = IF s = Mover THEN [p \in Pages |-> 0] ELSE served
  /\ ph' = [ph EXCEPT ![s] = [r \in Rooms |-> "queue"]]
  /\ UNCHANGED <<data, nic, net, twice, inc>>

-----------------------------------------------------------------------------
Layouts == UNION {[d -> Positions] : d \in SUBSET Pages}

Next ==
  \/ \E k \in Tickets : Lands(k)
  \/ \E k \in Tickets : MayLand(k)
  \/ \E k \in Tickets : LosesCompletion(k)
  \/ \E k \in Tickets : Fails(k)
  \/ \E k \in Tickets : GivesUp(k)
  \/ \E k \in Tickets : LosesMessage(k)
  \/ \E k \in Tickets : Duplicates(k)
  \/ \E s \in Sides : Dies(s)
  \/ \E s \in Sides, r \in Rooms, p \in Pages : Hit(s, r, p)
  \/ \E s \in Sides, r \in Rooms, f \in Layouts : Alloc(s, r, f)
  \/ \E s \in Sides, r \in Rooms : KernelBegin(s, r)
  \/ \E s \in Sides, r \in Rooms : KernelEnd(s, r)
  \/ \E r \in Rooms : Complete(r)
  \/ \E s \in Sides, r \in Rooms : Publish(s, r)
  \/ \E p \in Pages : Evict(p)
  \/ \E r \in Rooms : Expose(r)
  \/ \E k \in Tickets, p \in Pages : Post(k, p)
  \/ \E k \in Tickets : Refuse(k)
  \/ \E k \in Tickets : DropExpose(k)
  \/ \E k \in Tickets : Poll(k)
  \/ \E k \in Tickets : Hear(k)
  \/ \E k \in Tickets : DropLateReport(k)
  \/ \E s \in Sides, r \in Rooms : Release(s, r)
  \/ \E s \in Sides, r \in Rooms : Timeout(s, r)
  \/ \E p \in Pages : Expire(p)
  \/ \E s \in Sides : Restart(s)

Step(s, r) ==
  \/ \E f \in Layouts : Alloc(s, r, f)
  \/ KernelBegin(s, r)
  \/ s = "P" /\ Complete(r)
  \/ s = Exposer /\ Expose(r)
  \/ Through(s, r) /\ Release(s, r)

\* Workers go on, kernels end, time passes, a worker that died is started again;
\* messages that are not lost are read, and a transfer ends where none is faulty.
\* Nobody has to abort, to fail, or to die.
Fairness ==
  /\ \A s \in Sides, r \in Rooms : WF_vars(Step(s, r))
  /\ \A s \in Sides, r \in Rooms : WF_vars(KernelEnd(s, r))
  /\ \A s \in Sides, r \in Rooms : WF_vars(Timeout(s, r))
  /\ \A p \in Pages : WF_vars(Expire(p))
  /\ \A s \in Sides : WF_vars(Restart(s))
  /\ WF_vars(\E k \in Tickets, p \in Pages : Post(k, p))
  /\ WF_vars(\E k \in Tickets : Refuse(k))
  /\ WF_vars(\E k \in Tickets : Hear(k))
  /\ WF_vars(\E k \in Tickets : Poll(k))
  /\ WF_vars(\E k \in Tickets : Lands(k))

Spec == Init /\ [][Next]_vars /\ Fairness
=============================================================================
