"""Two small engines in our own words, declared the way SGLang and vLLM declare theirs."""

from textwrap import dedent

from infx.model.engine_schema import SchemaSource

SOURCE = SchemaSource(origin="a sample", method="syntax of its source")


def _files(**texts: str) -> dict[str, str]:
    return {f"{name.replace('__', '/')}.py": dedent(text) for name, text in texts.items()}


SGLANG = _files(
    sglang__srt__words="""
        KITCHENS = ["gas", "wood"]
        ROASTS = KITCHENS + ["sun"]
        class Heat:
            LOW = "low"
            ALL = (LOW, "high")
        class Cut(IntEnum):
            WHOLE = 1
            HALF = 2
    """,
    sglang__srt__fields="""
        from sglang.srt.words import Heat, KITCHENS, ROASTS
        class Oven(Struct):
            _NS_PATH = "oven"
            oven_kind: A[Optional[str], Arg(choices=ROASTS, aliases=["--oven"])] = None
            oven_heat: A[Literal["x"], Arg(choices=Heat.ALL, cli_name="--heat-level")] = "low"
            shelf_count: A[int, "How many."] = 3
            shelf_sizes: A[Optional[List[int]], "Sizes."] = None
            is_clean: A[bool, "Whether."] = False
            door_open: A[Optional[bool], Arg(action=argparse.BooleanOptionalAction)] = None
            crumb_limit: A[Optional[int], Arg(type_parser=human_readable_int)] = 2 * 8
            recipe_json: A[Optional[Dict[str, Any]], Arg(type_parser=json.loads)] = None
            trays: A[Optional[Union[dict, List[str]]], Arg(
                action=TrayAction, action_kwargs={"type": str, "nargs": "*"})] = None
            seen_once: A[str, Arg(no_cli=True)] = "hidden"
            old_door: A[bool, "Deprecated. Use --door-open instead."] = False
            smell: str = "none"
    """,
    sglang__srt__server_args="""
        from sglang.srt.fields import Oven
        from sglang.srt.words import Cut, KITCHENS
        def _cuts():
            from sglang.srt.words import Cut as Slices
            return list(Slices)
        class ServerArgs:
            port: A[int, "Where."] = 30
            @staticmethod
            def add_cli_args(parser):
                fuels = set(KITCHENS)
                if envs.MORE.get():
                    fuels.add("coal")
                parser.add_argument("--fuel", choices=fuels, default=_declared_default("fuel"))
                parser.add_argument("--cut", choices=[one.name.lower() for one in _cuts()])
                parser.add_argument("--smell", type=str, default=_declared_default("smell"))
                parser.add_argument("--no-door", action=DeprecatedStoreTrueAction,
                                    new_flag="--door-open")
                parser.add_argument("--stove", action=DeprecatedStoreConstAction, nargs=None,
                                    choices=["iron"], new_flag="--oven-kind")
                parser.add_argument("--candle", action=DeprecatedAction,
                                    error_message="Use --fuel instead.")
        _INPUT_NAMESPACES = [Oven]
        ServerArgs = rebuild(ServerArgs)
    """,
    sglang__srt__environ="""
        class Envs:
            SGLANG_OVEN = EnvBool(True)
            SGLANG_SHELVES = EnvIntWithAlias(4, deprecated_name="SGLANG_BOARDS")
            SGLANG_WARMTH = EnvFloat(-0.5)
            SGLANG_MENU = EnvStr(lambda: path("menu"))
            KITCHEN_DOOR = EnvBool(False)
        _DEPRECATED_ENVS: Dict[str, _Old] = {
            "SGLANG_COAL": _Old(note="Please use '--fuel' instead."),
            "SGLANG_PEAT": _Old(replacement="SGLANG_OVEN"),
            "SGLANG_TURF": _Old(),
        }
    """,
    sglang__srt__layers__bread="""
        crust = get_bool_env_var("SGLANG_CRUST", "true")
        yeast = get_int_env_var(
            "SGLANG_YEAST", 1)
        salt = os.environ.get("SGLANG_SALT")
        other = os.environ.get("FLOUR")
    """,
    sglang__test__bread="""
        os.environ["SGLANG_ONLY_TESTED"] = "1"
    """,
)

VLLM = _files(
    vllm__config__boat="""
        Hull = Literal["wood", "steel"]
        Deck = Literal["open", Hull]
        @config
        class Anchor:
            depth: int = 1
        class Flags(dict[str, str]):
            pass
        @config(config=ConfigDict())
        class BoatConfig:
            hull: Hull = "wood"
            deck: Deck | None = None
            name: str | Hull = "any"
            crew: int = Field(default=4, ge=1)
            load: float | None = None
            lamp: bool = False
            horn: bool | str | None = None
            ports: list[int] | None = None
            sides: tuple[int, int] = (0, 1)
            masts: list[Hull] = field(default_factory=list)
            anchor: Anchor = Field(default_factory=Anchor)
            extras: dict[str, Any] = field(default_factory=dict)
            overrides: dict[str, Any] | Callable[[Any], Any] = None
            pennant: Flags | None = None
            max_model_len: int = None
            rope: str = "old"
            '''Deprecated: use --anchor instead.'''
    """,
    vllm__engine__arg_utils="""
        from vllm.config.boat import BoatConfig
        GONE = "steel"
        _NOTE = "--rudder is deprecated and will be removed. Use --anchor instead."
        class EngineArgs:
            @staticmethod
            def add_cli_args(parser):
                boat_kwargs = get_kwargs(BoatConfig)
                group = parser.add_argument_group(title="Boat")
                if not quiet:
                    group.add_argument("--hull", "-h2", **boat_kwargs["hull"])
                boat_kwargs["deck"]["choices"].remove(GONE)
                group.add_argument("--deck", **boat_kwargs["deck"])
                group.add_argument("--ship-name", **boat_kwargs["name"])
                group.add_argument("--crew", **{**boat_kwargs["crew"], "default": None})
                group.add_argument("--load", **boat_kwargs["load"])
                group.add_argument("--lamp", **boat_kwargs["lamp"])
                group.add_argument("--horn", **boat_kwargs["horn"])
                group.add_argument("--ports", **boat_kwargs["ports"])
                group.add_argument("--sides", **boat_kwargs["sides"])
                group.add_argument("--masts", **boat_kwargs["masts"])
                group.add_argument("--anchor", **boat_kwargs["anchor"])
                group.add_argument("--extras", **boat_kwargs["extras"])
                group.add_argument("--overrides", **boat_kwargs["overrides"])
                group.add_argument("--pennant", **boat_kwargs["pennant"])
                group.add_argument("--max-model-len", **boat_kwargs["max_model_len"])
                group.add_argument("--rope", **boat_kwargs["rope"])
                hull_kwargs = boat_kwargs["hull"]
                hull_kwargs["type"] = lambda s: s.lower().replace("-", "_")
                group.add_argument("--second-hull", **hull_kwargs)
                lone = get_kwargs(BoatConfig)["load"]
                lone["default"] = argparse.SUPPRESS
                group.add_argument("--lone", **lone)
                parser.add_argument("--rudder", action=argparse.BooleanOptionalAction, help=_NOTE)
        class AsyncEngineArgs(EngineArgs):
            @staticmethod
            def add_cli_args(parser, short=False):
                parser.add_argument("--log", action="store_true")
    """,
    vllm__entrypoints__launchers__cli_args="""
        from vllm.engine.arg_utils import AsyncEngineArgs
        @config
        class BaseFrontendArgs:
            greeting: str = "ahoy"
            manners: dict[str, Any] | None = None
            @classmethod
            def _customize_cli_kwargs(cls, frontend_kwargs):
                frontend_kwargs["manners"]["type"] = json.loads
        @config
        class FrontendArgs(BaseFrontendArgs):
            dock: list[str] = field(default_factory=list)
            uses_bell: bool = True
            @classmethod
            def _customize_cli_kwargs(cls, frontend_kwargs):
                frontend_kwargs["dock"]["type"] = json.loads
                del frontend_kwargs["dock"]["nargs"]
        def make_arg_parser(parser):
            parser.add_argument("model_tag", nargs="?")
            parser.add_argument("--watch", "-w", type=int, default=None)
            parser = FrontendArgs.add_cli_args(parser)
            return AsyncEngineArgs.add_cli_args(parser)
    """,
    vllm__envs="""
        import os
        environment_variables: dict[str, Callable] = {
            "VLLM_SAILS": lambda: int(os.getenv("VLLM_SAILS", "2")),
            "VLLM_FAST": lambda: bool(int(os.getenv("VLLM_FAST", "0"))),
            "VLLM_DRAFT": lambda: float(os.environ.get("VLLM_DRAFT", "1.5")),
            "VLLM_CALM": lambda: os.environ.get("VLLM_CALM", "1") == "1",
            "VLLM_WIND": env_with_choices("VLLM_WIND", "low", ["low", "high"],
                                          case_sensitive=False),
            "VLLM_STARS": env_list_with_choices("VLLM_STARS", [], ["a", "b"]),
            "VLLM_PORT": get_vllm_port,
            "TIDE_HOME": lambda: os.environ.get("TIDE_HOME", None),
        }
    """,
    vllm__net="""
        wake = os.getenv("VLLM_WAKE")
    """,
)
