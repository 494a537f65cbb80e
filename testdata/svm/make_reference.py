"""Makes reference.json: decision values of scikit-learn's SVC on made-up similarity vectors.

    python3 testdata/svm/make_reference.py > testdata/svm/reference.json

The Rust test trains on the same rows, with the same parameters, and compares decision values.
Rows are scaled to mean 0 and deviation 1 first, as our training does.
"""

import json
import random

from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

MEASURES = 5


def row(generator, likeness):
    return [round(min(1.0, max(0.0, generator.gauss(likeness, 0.2))), 4) for _ in range(MEASURES)]


def main():
    generator = random.Random(2014)
    positive = [row(generator, 0.65) for _ in range(60)]
    negative = [row(generator, 0.40) for _ in range(60)]
    probes = [row(generator, generator.random()) for _ in range(40)]
    rows, labels = positive + negative, [1] * len(positive) + [-1] * len(negative)
    scaler = StandardScaler().fit(rows)
    machines = []
    for kernel, cost, gamma in [("linear", 1.0, 0.2), ("rbf", 1.0, 0.2), ("rbf", 10.0, 0.05)]:
        machine = SVC(kernel=kernel, C=cost, gamma=gamma, tol=1e-6)
        machine.fit(scaler.transform(rows), labels)
        decisions = machine.decision_function(scaler.transform(probes))
        machines.append(
            {
                "kernel": kernel,
                "cost": cost,
                "gamma": gamma,
                "decisions": [round(float(value), 7) for value in decisions],
            }
        )
    reference = {"positive": positive, "negative": negative, "probes": probes, "machines": machines}
    print(json.dumps(reference, separators=(",", ":")))


if __name__ == "__main__":
    main()
