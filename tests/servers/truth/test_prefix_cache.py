"""The cache holds leading blocks, and forgets the least recently used."""

from infx.servers.truth.prefix_cache import PrefixCache


def test_the_reference_sequence_hits_0_4_2_0():
    """The golden vector of AgentX prefix hits: 6 of 15 blocks (a key stands for its prefix)."""
    cache = PrefixCache(100)
    hits = []
    for ids in ([1, 2, 3, 4], [1, 2, 3, 4, 5], [1, 2, 9], [7, 1, 2]):
        keys = [hash(tuple(ids[: n + 1])) for n in range(len(ids))]
        hits.append(cache.hits(keys))
        cache.add(keys)
    assert hits == [0, 4, 2, 0]


def test_a_gap_ends_the_hit():
    cache = PrefixCache(10)
    cache.add([1, 3])
    assert cache.hits([1, 2, 3]) == 1


def test_the_least_recently_used_make_room_and_a_hit_is_a_use():
    cache = PrefixCache(3)
    cache.add([1])
    cache.add([2])
    cache.add([3])
    assert cache.hits([1]) == 1
    cache.add([4])
    assert [cache.hits([key]) for key in (1, 2, 3, 4)] == [1, 0, 1, 1]


def test_of_one_prompt_the_deepest_block_goes_first():
    cache = PrefixCache(4)
    cache.add([1, 2, 3])
    cache.add([7, 8])
    assert cache.hits([1, 2, 3]) == 2


def test_a_prompt_larger_than_the_cache_keeps_its_front():
    cache = PrefixCache(2)
    cache.add([1, 2, 3, 4])
    assert cache.hits([1, 2, 3, 4]) == 2


def test_of_the_blocks_of_a_prompt_the_new_ones_can_be_taken_back():
    cache = PrefixCache(10)
    cache.add([1, 2])
    new = cache.add([1, 2, 3, 4])
    assert sorted(new) == [3, 4]
    cache.discard([*new, 9])
    assert cache.hits([1, 2, 3, 4]) == 2
