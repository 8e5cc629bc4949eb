------------------------------- MODULE Goals -------------------------------
\* What must hold while prefill (P) writes the KV cache of a request straight
\* into pages that decode (D) has allocated for it, and the request is aborted.
\* The goals speak of D's pool, of writes in flight, and of P's books; they know
\* nothing of any fix.
EXTENDS Naturals, FiniteSets, Sequences

CONSTANTS
  Ranks,     \* prefill ranks that write into D's pages
  Reqs,      \* requests served by these ranks, as 1..n in the order they come
  Chunks,    \* chunks of a prompt, as 1..n in the order they are sent
  Handles,   \* writes (layers or transfer handles) that one chunk is cut into
  Blocks,    \* what D's pool holds; one block is all pages of one request
  Other,     \* a request served by another prefill instance
  Nobody     \* the writer of memory that was never written

Users == Reqs \cup {Other}
Writes == Ranks \X Reqs \X Chunks \X Handles    \* <<rank, request, chunk, handle>>
Cells == Ranks \X Chunks \X Handles             \* where in a block a write goes

VARIABLES
  dst,      \* what D has done with a request
  free,     \* blocks in D's free list
  own,      \* blocks that D keeps for a user, in use, held or in quarantine
  flight,   \* writes started and neither landed nor failed
  content,  \* the user whose data a cell holds
  gone,     \* the client of this request has left
  told,     \* a prefill rank has reported this request as failed
  noproof,  \* <<rank, request>>: a write ended with no proof that it stopped
  pst,      \* P's status of a request at a rank; "none" when not in its table
  fin,      \* requests that a rank's scheduler has concluded
  q,        \* chunks that wait for a rank's transfer worker
  wk,       \* what the transfer worker has in hand
  ctl,      \* what the control (ZMQ) thread has in hand
  cnt,      \* chunks of a request that a rank counts as outstanding
  tgt       \* requests for which a rank owes D an answer (ack targets)

\* A write in flight goes only to pages that D still keeps for the write's own
\* request. A free page may be handed out at any instant, so free is no better
\* than another's.
Isolation == \A w \in flight : own[w[2]] # {}

\* A request that decodes reads, in every cell, what its own prefill wrote.
Integrity == \A u \in Users : dst[u] = "commit" => \A c \in Cells : content[c] = u

\* D is through with a request: it decodes, its pages are back in the pool, or
\* they are in quarantine because one of its writes gave no proof of its end.
Settled(i) ==
  \/ dst[i] \in {"commit", "released"}
  \/ dst[i] = "quarantined" /\ \E k \in Ranks : <<k, i>> \in noproof

\* A request whose client left, or that was reported as failed, is settled in
\* the end.
Finality == \A i \in Reqs : (gone[i] \/ told[i]) ~> Settled(i)

\* Some thread of rank k still has request i to deal with.
InHand(k, i) ==
  \/ \E n \in 1..Len(q[k]) : q[k][n][1] = i
  \/ wk[k].pc # "idle" /\ wk[k].req = i
  \/ ctl[k].pc # "idle" /\ ctl[k].req = i

\* Each block is in exactly one place; and when a rank is through with a request
\* its books are closed: nothing is counted for it and no answer is owed.
Conservation ==
  /\ free \cup UNION {own[u] : u \in Users} = Blocks
  /\ \A u \in Users : own[u] \cap free = {}
  /\ \A u, v \in Users : u # v => own[u] \cap own[v] = {}
  /\ \A k \in Ranks, i \in Reqs :
       i \in fin[k] /\ pst[k][i] = "none" /\ ~InHand(k, i)
         => cnt[k][i] = 0 /\ i \notin tgt[k]
=============================================================================
