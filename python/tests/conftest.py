import numpy as np
import pytest

import kernloop.triton

kernloop.triton.activate()


@pytest.fixture
def rng():
    return np.random.default_rng(2026)
