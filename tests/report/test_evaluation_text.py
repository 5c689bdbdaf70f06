"""Evaluations as text: two classes, many classes, and hostile names."""

import numpy as np

from tallybayes import Evaluation


def counted(pairs):
    """An evaluation of these (truth, decision) pairs."""
    classes = sorted({label for pair in pairs for label in pair if label is not None})
    right = sum(n for (a, b), n in pairs.items() if a == b)
    n = sum(pairs.values())
    intervals = np.zeros((15, 3))
    intervals[11] = n, 0.75 * n, right
    sums = (0.5 * n, 0.3 * n, 0.6 * n, 0, 0.25 * n, 0.25 * n, 0.25 * n)
    return Evaluation(tuple(classes), (), pairs, intervals, {}, *sums, None, None)


def test_two_classes():
    found = counted({("no", "no"): 4, ("no", "yes"): 1, ("yes", "yes"): 8, ("yes", "no"): 1})
    assert repr(found).splitlines() == [
        "accuracy     0.8571  ± 0.0971  12 of 14 right",
        "  baseline   0.6429            always yes, the majority class",
        "error        0.1429            the model expects 0.2500",
        "log-loss     0.5000  ± 0.0620",
        "  baseline   0.6000            the prior alone",
        "Brier score  0.2500  ± 0.1201",
        "ROC AUC      0.5000  ± 0.0000",
        "ECE          0.1071            the expected calibration error",
        "",
        "classes",
        "  class        rows  decided  precision  recall     F1",
        "  no              5        5      0.800   0.800  0.800",
        "  yes             9        9      0.889   0.889  0.889",
        "  (all, mean)    14       14      0.844   0.844  0.844",
        "",
        "confusion",
        "  truth \\ decision  no  yes",
        "  no                 4    1",
        "  yes                1    8",
        "",
        "calibration",
        "  probability   rows   mean  accuracy",
        "  0.73 to 0.80    14  0.750     0.857",
    ]


def test_many_classes_show_the_worst_and_their_confusions():
    names = [f"class {i:03}" for i in range(150)]
    pairs = {(name, name): 100 for name in names} | {(names[i], names[i + 1]): 50 - i for i in range(20)}
    text = repr(counted(pairs))
    assert "\nthe 12 worst of 150 classes, by F1\n" in text
    table = "  truth      decision   rows\n  class 000  class 001    50\n"
    assert f"\nerrors, the 12 most frequent of 20\n{table}" in text
    assert "class 011  class 012    39\n" in text
    assert "class 149" not in text
    assert max(map(len, text.splitlines())) <= 100
    assert len(text.splitlines()) < 45
    assert "There are no mistakes." in repr(counted({(name, name): 1 for name in names}))


def test_hostile_class_names_are_escaped():
    names = ["\x1b[31m", "a\nb", "long " * 100, *(f"a rather long name {i}" for i in range(8))]
    text = repr(counted({(a, b): 1 for a in names for b in names}))
    assert "\\x1b[31m" in text
    assert "a\\nb" in text
    assert "long long long long lon…" in text
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert max(map(len, text.splitlines())) <= 100
    assert "errors, the 12 most frequent of 110" in text


def test_rows_of_one_class_have_no_roc_auc():
    found = counted({("yes", "yes"): 3, ("yes", "no"): 1})
    lines = repr(found).splitlines()
    assert "ROC AUC                        undefined: it compares rows of different classes" in lines
    assert not any("nan" in line for line in lines)
