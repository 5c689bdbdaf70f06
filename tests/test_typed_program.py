"""`make check` checks the types of this program; here it runs."""

import typed_program


def test_a_program_that_is_right_in_its_types_runs(tmp_path):
    models = typed_program.models()
    assert [model.n for model in models] == [6, 7, 6, 6, 6, 2, 6]
    typed_program.with_blocks()
    assert typed_program.asked(models[2]) == ["slight"]
    assert len(typed_program.kept(tmp_path)) == 64
