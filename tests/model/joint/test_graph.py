"""The network of a model; d-separation against brute force, networkx and pyAgrum (where installed)."""

import random
import re
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tallybayes import Categorical, Correlated, Gaussian, Graph, Model, Pairs
from tallybayes.model.joint.elimination import with_ancestors
from tennis import COLUMNS, DAYS, tennis

NODES = "abcde"


@st.composite
def networks(draw):
    """Up to five nodes, each with parents among those before it."""
    size = draw(st.integers(2, len(NODES)))
    return Graph({NODES[i]: tuple(n for n in NODES[:i] if draw(st.booleans())) for i in range(size)})


def joint(graph, seed):
    """P of every combination of truth values under random tables, irregular enough that nothing is independent by
    chance.
    """
    drawn = random.Random(seed)
    tables = {
        node: {given: Fraction(drawn.randrange(1, 10_007), 10_007) for given in product((0, 1), repeat=len(some))}
        for node, some in graph.parents.items()
    }
    found = {}
    for values in product((0, 1), repeat=len(graph.nodes)):
        at = dict(zip(graph.nodes, values, strict=True))
        p = Fraction(1)
        for node, some in graph.parents.items():
            true = tables[node][tuple(at[parent] for parent in some)]
            p *= true if at[node] else 1 - true
        found[values] = p
    return found


def really_independent(graph, one, other, known, seed):
    """P(one, other, known) P(known) = P(one, known) P(other, known), for all values."""
    table, at = joint(graph, seed), {node: i for i, node in enumerate(graph.nodes)}

    def p(**fixed):
        return sum(x for values, x in table.items() if all(values[at[node]] == v for node, v in fixed.items()))

    for values in product((0, 1), repeat=len(known)):
        given_ = dict(zip(known, values, strict=True))
        both = p(**given_, **{one: 1, other: 1})
        if both * p(**given_) != p(**given_, **{one: 1}) * p(**given_, **{other: 1}):
            return False
    return True


@settings(deadline=None)
@given(networks(), st.data())
def test_d_separation_equals_independence(graph, data):
    one, other = data.draw(st.permutations(graph.nodes))[:2]
    rest = [node for node in graph.nodes if node not in (one, other)]
    known = data.draw(st.lists(st.sampled_from(rest), unique=True)) if rest else []
    found = graph.independent(one, other, given=known)
    assert bool(found) == really_independent(graph, one, other, known, data.draw(st.integers(0, 10**6)))
    assert bool(found) == bool(graph.independent(other, one, given=known))
    if not found:
        check_path(graph, found, known)


def check_path(graph, found, known):
    """A path from one to the other along edges, open at every node: given only at colliders."""
    assert (found.path[0], found.path[-1]) == (found.one, found.other)
    edges = set(graph.edges)
    for before, after, arrow in zip(found.path, found.path[1:], found.arrows, strict=False):
        assert ((before, after) if arrow == "→" else (after, before)) in edges
    for i in range(1, len(found.path) - 1):
        meets = found.arrows[i - 1] == "→" and found.arrows[i] == "←"
        node = found.path[i]
        if meets:
            assert node in with_ancestors(known, graph.parents)
        else:
            assert node not in known


@settings(deadline=None)
@given(networks(), st.data())
def test_d_separation_agrees_with_networkx(graph, data):
    networkx = pytest.importorskip("networkx")
    one, other, *rest = data.draw(st.permutations(graph.nodes))
    known = rest[: data.draw(st.integers(0, len(rest)))]
    expected = networkx.is_d_separator(graph.to_networkx(), {one}, {other}, set(known))
    assert bool(graph.independent(one, other, given=known)) == expected


def test_network_of_a_model():
    naive = tennis(1.0).graph()
    assert naive.nodes == ("class", *COLUMNS)
    assert naive.edges == [("class", column) for column in COLUMNS]
    assert naive.independent("outlook", "wind", given=["class"])
    told = naive.independent("outlook", "wind")
    assert told.path == ("outlook", "class", "wind")
    assert str(told) == "outlook and wind may depend on each other: outlook ← class → wind"
    assert str(naive.independent("outlook", "wind", "class")) == "outlook and wind are independent given class"
    tree = Model.train({tuple(COLUMNS): Pairs(structure="tree")}, DAYS, "play")
    graph = tree.graph()
    for child, parent in tree.belief("wind").parents.items():
        assert graph.parents[child] == ("class", parent)
        assert not graph.independent(child, parent, given="class")
    averaged = Model.train({tuple(COLUMNS): Pairs(structure="averaged")}, DAYS, "play").graph()
    assert not averaged.independent("outlook", "wind", given="class")


def test_correlated_columns_are_dependent():
    frame = {"x": [1.0, 2.0, 4.0, 3.0], "y": [2.0, 1.0, 3.0, 5.0], "z": [1.0, 3.0, 2.0, 2.5]}
    model = Model.train({("x", "y"): Correlated(), "z": Gaussian()}, frame, ["p", "p", "q", "q"])
    graph = model.graph()
    assert not graph.independent("x", "y", given="class")
    assert graph.independent("x", "z", given="class")


def test_invalid_networks_are_refused():
    with pytest.raises(ValueError, match="cycle"):
        Graph({"a": ("b",), "b": ("a",)})
    with pytest.raises(ValueError, match="'c', which is not a node"):
        Graph({"a": ("c",)})
    with pytest.raises(ValueError, match=r"There is no node 'wnd'. Did you mean 'wind'?"):
        tennis(1.0).graph().independent("wnd", "outlook")


def test_dot_quotes_odd_names():
    assert Graph({'a "b"': (), "c\n": ('a "b"',)}).to_dot() == (
        'digraph {\n  "a \\"b\\"";\n  "c\\n";\n  "a \\"b\\"" -> "c\\n";\n}\n'
    )


def test_plates_group_distributions_by_their_parents():
    written = Graph({"c": (), "x": ("c",), "y": ("c",), "z": ("c", "x")}).to_dot(plates=True)
    plates = re.findall(r'label="(.*?)";\n(.*?)\n  \}', written, flags=re.DOTALL)
    assert {label: re.findall(r'"(.*?)";', nodes) for label, nodes in plates} == {
        "each row": ["c", "x", "y", "z"],
        "each c": ["P(x | c)", "P(y | c)"],
        "each c, x": ["P(z | c, x)"],
    }
    arrows = re.findall(r'"(.*?)" -> "(.*?)"', written)
    assert arrows[:4] == [("c", "x"), ("c", "y"), ("c", "z"), ("x", "z")]
    assert arrows[4:] == [("P(c)", "c"), ("P(x | c)", "x"), ("P(y | c)", "y"), ("P(z | c, x)", "z")]


def tables_of(written):
    """The tables of an exported network: {variable: (parents, {parent states: probabilities})}."""
    found = {}
    for head, body in re.findall(r"probability \( (.*?) \) \{\n(.*?)\n\}", written, flags=re.DOTALL):
        name, _, parents = head.partition(" | ")
        rows = re.findall(r"(?:\((.*?)\)|table) (.*?);", body)
        numbers = {tuple(at.split(", ")) if at else (): [float(p) for p in row.split(", ")] for at, row in rows}
        found[name] = (parents.split(", ") if parents else [], numbers)
    return found


def test_many_states_have_distinct_names():
    levels = [chr(0x4E00 + i) for i in range(10_000)]  # a search among all names for each would take hours
    written = Model.train({"x": Categorical()}, {"x": levels}, ["a", "b"] * 5_000).to_bif()
    (states,) = re.findall(r"discrete \[ 10000 \] \{ (.*?) \}", written)
    assert len(set(states.split(", "))) == 10_000


@pytest.mark.parametrize("structure", ["naive", "tree"])
def test_exported_network_round_trips_in_other_programs(structure, tmp_path):
    agrum = pytest.importorskip("pyagrum")
    model = Model.train({tuple(COLUMNS): Pairs(structure=structure)}, DAYS, "play")
    path = tmp_path / "tennis.bif"
    path.write_text(model.to_bif())
    network = agrum.loadBN(str(path))
    check_inference(agrum, network, model, 1e-6)  # it reads numbers in single precision
    for name, (parents, rows) in tables_of(model.to_bif()).items():
        for states, numbers in rows.items():
            network.cpt(name)[dict(zip(parents, states, strict=True))] = numbers
    check_inference(agrum, network, model, 1e-9)


@pytest.mark.filterwarnings("ignore")
def test_exported_network_round_trips_in_pgmpy(tmp_path):
    readwrite, inference = pytest.importorskip("pgmpy.readwrite"), pytest.importorskip("pgmpy.inference")
    model = Model.train({tuple(COLUMNS): Pairs(structure="tree")}, DAYS, "play")
    path = tmp_path / "tennis.bif"
    path.write_text(model.to_bif())
    known = inference.VariableElimination(readwrite.BIFReader(str(path)).get_model())
    for asked, given_ in (("wind", {}), ("outlook", {"class": "yes"}), ("class", {"outlook": "rain", "wind": "weak"})):
        found = known.query([asked], evidence=given_, show_progress=False)
        for level, p in zip(found.state_names[asked], found.values, strict=True):
            assert p == pytest.approx(model.probability({asked: level}, given=given_), abs=1e-9)


def check_inference(agrum, network, model, near):
    for asked, known in (("wind", {}), ("outlook", {"class": "yes"}), ("class", {"outlook": "rain", "wind": "weak"})):
        inference = agrum.LazyPropagation(network)
        inference.setEvidence(known)
        found = inference.posterior(asked)
        for i, level in enumerate(network.variable(asked).labels()):
            assert found[i] == pytest.approx(model.probability({asked: level}, given=known), abs=near)


def test_bif_names_are_plain_and_distinct():
    frame = {"wind speed": ["very weak", "very-weak", "1"], "wind-speed": ["a", "b", "a"]}
    columns = ("wind speed", "wind-speed")
    written = Model.train({columns: Pairs(structure="naive")}, frame, ["x", "y", "y"]).to_bif()
    assert "variable wind_speed {" in written
    assert "variable wind_speed_2 {" in written
    assert "{ _1, very_weak, very_weak_2 }" in written
    numbers = Model.train({"x": Gaussian()}, {"x": [1.0, 2.0]}, ["a", "b"])
    with pytest.raises(TypeError, match="has no levels, which BIF needs"):
        numbers.to_bif()


def test_dependence_is_the_mutual_information_of_pair_counts():
    frame = {"p": list("aabbaabbab"), "q": list("ccddccdcdd"), "r": list("efefefefef")}
    labels = list("xxxxxyyyyy")
    model = Model.train({("p", "q", "r"): Pairs()}, frame, labels)
    found = {(row.one, row.other): row for row in model.dependence()}
    assert set(found) == {("p", "q"), ("p", "r"), ("q", "r")}
    for (one, other), row in found.items():
        g, freedom = 0.0, 0
        for label in "xy":
            pairs = [(a, b) for a, b, c in zip(frame[one], frame[other], labels, strict=True) if c == label]
            table = np.array(
                [[pairs.count((a, b)) for b in sorted(set(frame[other]))] for a in sorted(set(frame[one]))]
            )
            result = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
            g, freedom = g + result.statistic, freedom + result.dof
        assert row.g == pytest.approx(g, abs=1e-9)
        assert row.degrees_of_freedom == freedom
        assert row.p == pytest.approx(stats.chi2.sf(g, freedom), abs=1e-9)
        assert row.information == pytest.approx(g / 2 / 10, abs=1e-11)
    assert [row.information for row in model.dependence()] == sorted(r.information for r in found.values())[::-1]
    assert repr(model.dependence()).splitlines()[1].startswith("p, q")


def test_error_without_pair_counts_says_what_to_count():
    with pytest.raises(ValueError, match=r"Model.train\(\{\('outlook', .*\): Pairs\(\)\}"):
        tennis(1.0).dependence()
