# The types of `import teeter`: a single module cannot carry py.typed, so the wheel holds this package beside it.
from engine.topple.balance.statics import Statics as Statics
from engine.topple.laboratory.sweep import SweepRow as SweepRow
from games.api.certificates import CertificateResult as CertificateResult
from games.api.certificates import verify_certificate as verify_certificate
from games.api.checker import Checker as Checker
from games.api.functions import build as build
from games.api.functions import check as check
from games.api.functions import explain as explain
from games.api.functions import export as export
from games.api.functions import load as load
from games.api.functions import noise as noise
from games.api.functions import play as play
from games.api.functions import poses as poses
from games.api.functions import probe as probe
from games.api.functions import steps as steps
from games.api.functions import sweep as sweep
from games.api.functions import verify as verify
from games.api.functions import video as video
from games.api.results import CheckResult as CheckResult
from games.api.results import ExplainResult as ExplainResult
from games.api.results import ExportResult as ExportResult
from games.api.results import FilmResult as FilmResult
from games.api.results import NoiseResult as NoiseResult
from games.api.results import Played as Played
from games.api.results import PoseResult as PoseResult
from games.api.results import ProbeResult as ProbeResult
from games.api.results import SimulationResult as SimulationResult
from games.api.results import StepResult as StepResult
from games.api.results import StepsResult as StepsResult
from games.api.scene import PublicScene
from games.api.scene import ScenePiece as ScenePiece
from games.play.playback import Verified as Verified
from models.errors import TeeterError as TeeterError

Scene = PublicScene
Verdict = CheckResult
__version__: str
