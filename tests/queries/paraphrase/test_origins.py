@pytest.mark.parametrize(
    ("shared", "frequency", "pivots", "languages", "probability", "expected"),
    [
        (0, 0, 0, 0, 0.0, 0.0),
        (1, 0, 0, 0, 0.0, 0.95),
        (2, 0, 0, 0, 0.0, 0.99),
        (3, 0, 0, 0, 0.0, 0.998),
        (0, 1, 1, 1, 0.5, 1 / 3),
        (0, 3, 1, 1, 0.5, 1 / 2),
        (0, 3, 2, 1, 0.5, 2 / 3),
        (0, 3, 2, 2, 0.25, 2 / 3),
        (1, 1, 1, 1, 1.0, 0.975),
    ],
)
def test_score(shared: int, frequency: int, pivots: int, languages: int, probability: float, expected: float) -> None:
    """Worked out by hand from 1 - (1 - d) (1 - g)."""
    found = score(shared=shared, frequency=frequency, pivots=pivots, languages=languages, probability=probability)
    assert found == pytest.approx(expected)
