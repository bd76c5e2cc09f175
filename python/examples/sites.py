"""Sites from features, with scikit-learn: does a forest that has seen other structures find the residues that score highest?"""

# %%
from __future__ import annotations

import sys
from pathlib import Path

from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

import prism

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
FEATURES = ["contact_number", "wcn", "sasa", "rsa", "depth", "hydropathy", "centrality"]

# %%
files = sys.argv[1:] or sorted(DATA.glob("*.gz"))
table = prism.features(files, columns=[*FEATURES, "site_score"]).to_pandas()
values = table[FEATURES].fillna(0.0)
# The tenth of a structure's residues with the highest scores.
is_high = table.groupby("structure")["site_score"].rank(pct=True) > 0.9

# %%
forest = RandomForestClassifier(n_estimators=100, min_samples_leaf=3, random_state=7)
told = cross_val_predict(forest, values, is_high, groups=table["structure"], cv=LeaveOneGroupOut(), method="predict_proba")
print(f"{len(table)} residues of {table['structure'].nunique()} structures, area under the ROC curve {roc_auc_score(is_high, told[:, 1]):.2f}")
