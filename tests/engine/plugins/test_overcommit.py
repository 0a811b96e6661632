"""overcommit lets in as many jobs as a somewhat larger cluster would hold."""

from tests.build import CONF, gang, node, queue, run


def phases(conf: str = CONF, **spec: object) -> list[str]:
    """Return the phases of three jobs of 4 cores each on a cluster of 8."""
    jobs = [gang(f"j{n}", 1, 1, 4, phase="Pending", created=n, minResources={"cpu": 4}, **spec) for n in range(3)]
    session = run([node("n1", cpu=8, memory="64Gi"), queue("default"), *jobs], conf)
    return [session.jobs[f"ns/j{n}"].phase for n in range(3)]


def with_factor(factor: object) -> str:
    """Return the usual configuration with another overcommit factor, and without proportion's own limit."""
    conf = CONF.replace(
        "  - name: overcommit\n", f"  - name: overcommit\n    arguments:\n      overcommit-factor: {factor}\n"
    )
    return conf.replace("  - name: proportion\n", "")


def test_the_cluster_is_taken_to_be_a_fifth_larger() -> None:
    """Of 8 cores, 9.6 may be waited for: two jobs of 4."""
    assert phases(CONF.replace("  - name: proportion\n", "")) == ["Inqueue", "Inqueue", "Pending"]


def test_a_larger_factor_lets_more_in() -> None:
    """With a factor of 1.5 the third job gets in."""
    assert phases(with_factor(1.5)) == ["Inqueue"] * 3


def test_a_factor_below_one_is_replaced_by_the_default() -> None:
    """A factor that would shrink the cluster is not taken, and a warning says so."""
    assert phases(with_factor(0.5)) == ["Inqueue", "Inqueue", "Pending"]
