import pandas as pd

from makers.trainings import draw_maps


def test_each_training_has_its_map_on_one_scale():
    maps = [
        pd.Series({"attention": [0.75, 0.25], "probabilities": [0.1, 0.9]}),
        pd.Series({"attention": [0.5, 0.5], "probabilities": [0.8, 0.2]}),
    ]
    axes = draw_maps(maps, ["good", "film"], {0: "rotten", 1: "fresh"}).axes[0]
    said = " ".join(text.get_text() for text in axes.texts)
    assert said == (
        "Training 1 says fresh, with probability 0.90 good film Training 2 says rotten, with probability 0.80 good film"
    )
    darkest, pale, *alike = (box.get_facecolor() for box in axes.patches)
    assert sum(darkest) < sum(alike[0]) < sum(pale)
    assert alike[0] == alike[1]
    assert [box.get_linewidth() > 0 for box in axes.patches] == [True, False, True, True]
