"""Every kind of expression, declaration and proof comes out of the export as the tree says."""

from __future__ import annotations

from tests.tla.conftest import Read
from vstack.tla import tree
from vstack.tla.places import text_of

EVERYTHING = r"""
EXTENDS Naturals, Sequences
CONSTANTS N, Op(_, _)
VARIABLES x, y
RECURSIVE F(_)
F(n) == IF n = 0 THEN 0 ELSE F(n - 1)
G[n \in Nat] == n + 1
H(P(_), q) == P(q)
K == H(LAMBDA v : v + 1, 2)
Pairs == \E <<a, b>> \in {<<1, 2>>}, c, d \in 1..2 : a + c < 3
Local == LET z == x + 1
             w(u) == u + z IN w(2)
Upd == [y EXCEPT ![1] = @ + 1]
Lab == \A v \in 1..3 : foo(v):: v > 0
Cas == CASE x = 1 -> "a\"b" [] OTHER -> "c"
LOCAL Secret == 5
Inst(q) == INSTANCE Inner WITH p <- q
Used == Inst(x)!Foo(2)
ASSUME Positive == N > 0
ASSUME N < 10
THEOREM Main == N > 0
<1>1. N > 0
  BY Positive DEF Secret
<1>2. ASSUME NEW k \in Nat, k > 0 PROVE k # 0
  OBVIOUS
<1> DEFINE Q == 1
<1> HIDE DEF Q
<1>3. SUFFICES N > 0
  PROOF OMITTED
<1>q. QED
  BY <1>1
THEOREM 1 = 1
"""
INNER = "EXTENDS Naturals\nVARIABLE p\nLOCAL Bar == p + 1\nFoo(a) == a + Bar"


def everything(read: Read) -> tree.Spec:
    return read(Every=EVERYTHING, helpers={"Inner": INNER})


def body(spec: tree.Spec, name: str) -> tree.Node:
    found = spec.definition(name).body
    assert found is not None
    return found


def test_declarations(read: Read) -> None:
    spec = everything(read)
    assert [(item.name, item.arity) for item in spec.root.constants] == [("N", 0), ("Op", 2)]
    assert [item.name for item in spec.root.variables] == ["x", "y"]
    assert spec.root.extends == ("Naturals", "Sequences")
    assert spec.modules["Naturals"].is_standard and not spec.modules["Inner"].is_standard
    assert spec.modules["Inner"].extends == ("Naturals",)


def test_definitions(read: Read) -> None:
    spec = everything(read)
    assert spec.definition("F").recursive and not spec.definition("K").recursive
    assert spec.definition("G").kind == "function"
    assert [(item.name, item.arity) for item in spec.definition("H").params] == [("P", 1), ("q", 0)]
    assert spec.definition("Secret").local and not spec.definition("K").local
    assert spec.definition("K").level == tree.CONSTANT_LEVEL and spec.definition("Local").level == tree.STATE_LEVEL
    assert {item.name for item in spec.root.own_definitions()} >= {"F", "Upd", "Secret"}
    assert "Len" not in {item.name for item in spec.root.own_definitions()}


def test_quantifiers_bind_groups_and_tuples(read: Read) -> None:
    node = body(everything(read), "Pairs")
    assert isinstance(node, tree.Apply) and node.operator.name == "$BoundedExists"
    first, second = node.bound
    assert first.is_tuple and [item.name for item in first.symbols] == ["a", "b"]
    assert not second.is_tuple and [item.name for item in second.symbols] == ["c", "d"]


def test_let_lambda_at_label_case(read: Read) -> None:
    spec = everything(read)
    let = body(spec, "Local")
    assert isinstance(let, tree.Let) and [item.name for item in let.definitions] == ["z", "w"]
    call = body(spec, "K")
    assert isinstance(call, tree.Apply) and isinstance(call.operands[0], tree.OperatorArgument)
    function = spec.resolve(call.operands[0].operator)
    assert isinstance(function, tree.Definition) and function.kind == "lambda" and function.params[0].name == "v"
    update = body(spec, "Upd")
    assert any(isinstance(node, tree.At) for node in every(update))
    label = next(node for node in every(body(spec, "Lab")) if isinstance(node, tree.Label))
    assert label.name == "foo" and [item.name for item in label.parameters] == ["v"]
    strings = [node.value for node in every(body(spec, "Cas")) if isinstance(node, tree.String)]
    assert strings == ['a"b', "c"]
    conditions = [node.operator for node in every(body(spec, "Cas")) if isinstance(node, tree.Apply)]
    assert tree.OTHER in conditions


def test_an_instance_keeps_its_substitutions(read: Read) -> None:
    spec = everything(read)
    instantiated = spec.definition("Inst!Foo")
    assert [item.name for item in instantiated.params] == ["q", "a"]
    assert isinstance(instantiated.body, tree.Substituted)
    (pair,) = instantiated.body.substitutions
    assert pair.declared.name == "p" and isinstance(pair.value, tree.Apply) and pair.value.operator.name == "q"
    assert instantiated.body.instantiated == "Inner"
    assert [(item.name, item.module) for item in spec.root.instances] == [("Inst", "Inner")] or any(
        item.name == "Inst" and item.module == "Inner" for item in spec.root.instances
    )


def test_assumptions_and_proofs(read: Read) -> None:
    root = everything(read).root
    assert [item.name for item in root.assumptions] == ["Positive", None]
    assert [item.name for item in root.theorems] == ["Main", None]
    proof = root.theorems[0].proof
    assert proof is not None and proof.kind == "steps"
    first, second, define, hide, third, last = proof.steps
    assert isinstance(first, tree.Theorem) and first.name == "<1>1" and first.proof is not None
    assert first.proof.kind == "by" and [item.name for item in first.proof.definitions] == ["Secret"]
    assert len(first.proof.facts) == 1
    assert isinstance(second, tree.Theorem) and isinstance(second.body, tree.AssumeProve)
    assert second.proof is not None and second.proof.kind == "obvious"
    assert isinstance(define, tree.DefineStep) and [item.name for item in define.definitions] == ["Q"]
    assert isinstance(hide, tree.UseOrHide) and hide.hide
    assert isinstance(third, tree.Theorem) and third.proof is not None and third.proof.kind == "omitted"
    assert isinstance(last, tree.Theorem) and last.proof is not None and last.proof.kind == "by"
    assert root.theorems[1].proof is None


def test_a_module_inside_another(read: Read) -> None:
    inside = "---- MODULE Inside ----\nVARIABLE z\nK == z\n====\n"
    spec = read(Outer=f"VARIABLE y\n{inside}I == INSTANCE Inside WITH z <- y\nL == I!K")
    assert spec.modules["Inside"].path == spec.root.path
    assert [item.name for item in spec.modules["Inside"].variables] == ["z"]
    assert spec.definition("I!K").module == "Outer"


def test_spans_count_tabs_unicode_and_surrogates_as_sany_does(read: Read) -> None:
    spec = read(Cols='VARIABLE x\nF ==\t/\\ x = "éß" /\\\tx = 2\n\t/\\ \t x = 3 \\* end\nG == (* 𝒳𝒳 *) <<"ß", x>>')
    text = spec.root.text
    leaves = [node for node in every(body(spec, "F")) if isinstance(node, tree.Apply) and node.operator.name == "="]
    assert [text_of(text, node.span) for node in leaves] == ['x = "éß"', "x = 2", "x = 3"]
    tuple_node = body(spec, "G")
    assert isinstance(tuple_node, tree.Apply)
    assert text_of(text, tuple_node.span) == '<<"ß", x>>' and text_of(text, tuple_node.operands[1].span) == "x"


def test_a_chain_of_hundreds_of_conjuncts(read: Read) -> None:
    spec = read(Deep="VARIABLE x\nF == " + " /\\ ".join(["x = 1"] * 600))
    assert sum(1 for node in every(body(spec, "F")) if isinstance(node, tree.Number)) == 600


def every(node: tree.Node) -> list[tree.Node]:
    found, pending = [], [node]
    while pending:
        item = pending.pop()
        found.append(item)
        pending += reversed(list(tree.children(item)))
    return found
