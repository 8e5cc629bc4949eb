------------------------------- MODULE Goals -------------------------------
\* What must hold of the KV pages of a prefill worker (P) and a decode worker
\* (D) while the KV data of requests ("rooms") goes from P's pages to D's. The
\* goals speak of pages, of what may still touch them, and of the data in them;
\* they know nothing of the rules by which the ledger gets there.
EXTENDS Naturals, FiniteSets, Sequences

CONSTANTS
  Rooms,        \* requests
  DPages,       \* D's pool
  PPages,       \* P's pool
  Length,       \* pages that a prompt fills
  SamePrompt,   \* all rooms have the same prompt, and can share pages
  None          \* no room, no key

Sides == {"P", "D"}
Pages == DPages \cup PPages
Side(p) == IF p \in DPages THEN "D" ELSE "P"
PagesOf(s) == IF s = "D" THEN DPages ELSE PPages
Positions == 1..Length

\* What belongs into the page at position i of room r.
Key(r, i) == <<IF SamePrompt THEN 1 ELSE r, i>>
Junk == <<0, 0>>

VARIABLES
  pg,     \* the ledger's entry of each page: st, gen, own, key, full, and the open leases: xl, kl, refs
  ph,     \* how far a room is at a side
  up,     \* which worker is up
  data,   \* what the memory of a page holds
  nic     \* transfers that may still touch memory, or whose end was not reported

\* A page that was given out for ticket <<page, gen>> is still held for it.
Current(ticket) == pg[ticket[1]].st # "FREE" /\ pg[ticket[1]].gen = ticket[2]

\* A transfer that may still write does so into a page that is kept for it, and
\* that nobody else reads; a kernel works on pages that are kept for it.
Isolation ==
  /\ \A t \in nic : t.writes => Current(t.dst) /\ pg[t.dst[1]].st \in {"PRIVATE", "DRAINING", "QUARANTINED"}
  /\ \A p \in Pages : \A lease \in pg[p].kl : Current(<<p, lease[2]>>)

\* Room r may read page p at position i.
Has(s, r, p, i) == Side(p) = s /\ (pg[p].own = r \/ r \in pg[p].refs) /\ pg[p].key = Key(r, i)

\* A request that decodes reads, at each position, what belongs there; so does
\* everyone who takes a page from the prefix cache.
Integrity ==
  /\ \A r \in Rooms : ph["D"][r] = "run" =>
       \A i \in Positions : \E p \in DPages : Has("D", r, p, i) /\ data[p] = Key(r, i)
  /\ \A p \in Pages : pg[p].st \in {"SHARED", "DUP"} => data[p] = pg[p].key

\* Every request ends, at both workers, and no page stays between use and rest.
Finality ==
  /\ \A s \in Sides, r \in Rooms : <>(ph[s][r] = "over")
  /\ \A p \in Pages : []<>(pg[p].st \in {"FREE", "SHARED", "QUARANTINED"})

\* Quarantine ends too.
Reclamation == \A p \in Pages : []<>(pg[p].st \in {"FREE", "SHARED"})

\* The books agree: each page is in one state, with what belongs to that state
\* and nothing else; who is through with a request holds nothing for it.
Conservation ==
  /\ \A p \in Pages : LET c == pg[p] IN
       /\ c.st \in {"FREE", "PRIVATE", "SHARED", "DRAINING", "QUARANTINED", "DUP"}
       /\ c.st = "FREE" => c.key = None /\ ~c.full /\ c.xl = {} /\ c.kl = {}
       /\ (c.own # None) <=> (c.st \in {"PRIVATE", "DUP"})
       /\ c.refs # {} => c.st = "SHARED"
       /\ c.st \in {"SHARED", "DUP"} => c.full
       /\ c.st \in {"DRAINING", "QUARANTINED"} => c.xl \cup c.kl # {}
  /\ \A p, q \in Pages :
       /\ Side(p) = Side(q)
       /\ pg[p].st = "SHARED"
       /\ pg[q].st = "SHARED"
       /\ pg[p].key = pg[q].key
       => p = q
  /\ \A p \in Pages : pg[p].st = "SHARED" /\ pg[p].key[2] > 1 =>
       \E q \in Pages : /\ Side(q) = Side(p)
                        /\ pg[q].st = "SHARED"
                        /\ pg[q].key = <<pg[p].key[1], pg[p].key[2] - 1>>
  /\ \A r \in Rooms, p \in Pages :
       ph[Side(p)][r] = "over" => pg[p].own # r /\ r \notin pg[p].refs

\* Nothing may touch page p any more.
Quiet(p) == \A t \in nic :
  /\ t.writes => t.dst # <<p, pg[p].gen>>
  /\ t.reads => t.src # <<p, pg[p].gen>>
=============================================================================
