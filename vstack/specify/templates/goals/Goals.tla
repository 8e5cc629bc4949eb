-------------------------------- MODULE Goals --------------------------------
(* What must hold under every schedule, and the variables that it speaks of.   *)
(* The goals stand apart from the model, so that work on the model never       *)
(* touches what a person approved.                                             *)
CONSTANT Requests

VARIABLES
  page,      \* who owns the page: a request, or "free"
  transfer,  \* whose data is on its way to the page: a request, or "none"
  phase      \* of each request: "new", "loading", "ready", "aborted" or "done"

\* A transfer that is on its way writes only to a page of its own request.
Isolation == transfer # "none" => page = transfer

\* Every request that got the page gives it back.
Finality == \A r \in Requests : phase[r] = "loading" ~> phase[r] = "done"
==============================================================================
