"""The tag of the wheel. What tools/packages/wheel.mjs stages has the software GPU inside, for one platform; Python loads it by ctypes, so that
any Python 3 does. Without it, from a checkout, it is a wheel of Python files."""

from pathlib import Path

CLIENT = Path(__file__).with_name("src") / "kernloop" / "client"
if not all((CLIENT / name).exists() for name in ("results.py", "stages.py")):
    raise SystemExit(f"{CLIENT} lacks results.py and stages.py, which the stages decide: run `node bin/generated.js` in the checkout first")

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class Platform(Distribution):
    def has_ext_modules(self) -> bool:
        return Path(__file__).with_name("src").joinpath("kernloop", "_native").exists()


class Wheel(bdist_wheel):
    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", "any" if self.root_is_pure else self.plat_name


setup(cmdclass={"bdist_wheel": Wheel}, distclass=Platform)
