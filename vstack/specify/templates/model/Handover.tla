------------------------------ MODULE Handover -------------------------------
(* A page that two requests use one after the other: data arrives late, and a  *)
(* request may be aborted while its data is on its way.                        *)
(* `@process` names who runs an action; `@ours` marks one that stands for no   *)
(* code yet: an `@anchor repo:path:first-last@commit sha256:...` replaces it.  *)
EXTENDS Goals

CONSTANTS
  GuardWait,  \* the fix: the page is not freed while a transfer runs
  Aborts      \* the environment: whether requests may be aborted

vars == <<page, transfer, phase>>

Init ==
  /\ page = "free"
  /\ transfer = "none"
  /\ phase = [r \in Requests |-> "new"]

\* Request {r} gets the free page and its transfer starts.
\* @process scheduler
\* @ours the scaffold stands for no code yet
Start(r) ==
  /\ phase[r] = "new"
  /\ page = "free"
  /\ page' = r
  /\ transfer' = r
  /\ phase' = [phase EXCEPT ![r] = "loading"]

\* The transfer lands; its request is ready, if it still waits for the data.
\* @process network
\* @ours the scaffold stands for no code yet
Land ==
  /\ transfer # "none"
  /\ transfer' = "none"
  /\ phase' = [phase EXCEPT ![transfer] = IF @ = "loading" THEN "ready" ELSE @]
  /\ UNCHANGED page

\* Request {r} gives the page back; with the fix, once its transfer has landed.
\* @process scheduler
\* @ours the scaffold stands for no code yet
Free(r) ==
  /\ page = r
  /\ phase[r] \in {"ready", "aborted"}
  /\ GuardWait => transfer # r
  /\ page' = "free"
  /\ phase' = [phase EXCEPT ![r] = "done"]
  /\ UNCHANGED transfer

\* Someone aborts request {r} while it loads.
\* @process user
\* @environment a user gives up waiting
Abort(r) ==
  /\ Aborts
  /\ phase[r] = "loading"
  /\ phase' = [phase EXCEPT ![r] = "aborted"]
  /\ UNCHANGED <<page, transfer>>

Next == Land \/ \E r \in Requests : Start(r) \/ Free(r) \/ Abort(r)

\* The code goes on; nobody has to abort anything.
Fairness == WF_vars(Land) /\ \A r \in Requests : WF_vars(Free(r))

Spec == Init /\ [][Next]_vars /\ Fairness
==============================================================================
