---- MODULE Outputs ----
EXTENDS Proved, Failed, Late, Gaps
====
