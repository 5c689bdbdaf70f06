"""A file is the old one or the new one, and two do not change it at once."""

import resource
import threading

import pytest

from tallybayes import Categorical, Model, changing, load, save
from tallybayes.replacing import SaveError, held, replacing


def one_row(label="a"):
    return Model.train({"x": Categorical()}, {"x": ["level"]}, [label])


def test_a_file_takes_its_place_when_all_is_written(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def interrupted(path):
    with replacing(path) as file:
        file.write(b"new")
        raise KeyboardInterrupt


def test_what_was_there_stays_if_anything_happens(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        interrupted(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def filled(path):
    """Writes more than a file may have."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with replacing(path) as file:
            for _ in range(100):
                file.write(bytes(1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_an_error_of_the_disk_says_what_is_left(tmp_path):
    path = tmp_path / "m.tally"
    with pytest.raises(SaveError, match=r"m.tally could not be saved: File too large. There is no such file"):
        filled(path)
    save(one_row(), path)
    with pytest.raises(SaveError, match=r"m.tally could not be saved: File too large. The file is as it was before"):
        filled(path)
    assert load(path) == one_row()
    assert list(tmp_path.iterdir()) == [path]


def test_other_errors_are_not_those_of_the_disk(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"data\.csv"), replacing(tmp_path / "file"):
        (tmp_path / "data.csv").read_bytes()


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file"), replacing(tmp_path):
        pass


def test_a_model_that_is_being_changed_is_saved_when_all_went_well(tmp_path):
    save(one_row(), tmp_path / "m.tally")
    with changing(tmp_path / "m.tally") as model:
        model += one_row("b")
    assert load(tmp_path / "m.tally").classes == ["a", "b"]
    with pytest.raises(ValueError, match="never learned"), changing(tmp_path / "m.tally") as model:
        model -= one_row("c")
    assert load(tmp_path / "m.tally").classes == ["a", "b"]


def test_all_that_learn_at_once_are_counted(tmp_path):
    path = tmp_path / "m.tally"
    save(one_row(), path)

    def learn():
        for _ in range(10):
            with changing(path) as model:
                model += one_row()

    threads = [threading.Thread(target=learn) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert load(path).n == 41


def test_whoever_waits_is_told(tmp_path):
    path = tmp_path / "m.tally"
    save(one_row(), path)
    told, release = threading.Event(), threading.Event()

    def wait():
        with held(path, told.set):
            release.set()

    thread = threading.Thread(target=wait)
    with held(path, lambda: None):
        thread.start()
        assert told.wait(10)
        assert not release.is_set()
    thread.join()
    assert release.is_set()
