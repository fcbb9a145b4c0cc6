"""What Bullet is told of a world and of a surface, as keyword arguments; no simulator is loaded here.

A pair's friction and restitution are the *product* of the bodies' values in Bullet, so each gets the square root. A
pair adds dampings and puts stiffnesses in series.
"""

from __future__ import annotations

from engine.settings import Tuning
from engine.world import Scale
from models.material import factor_of
from models.piece import Piece


def solver_settings(tuning: Tuning, scale: Scale) -> dict[str, float]:
    """For `setPhysicsEngineParameter`."""
    return {
        "fixedTimeStep": 1.0 / scale.rate,
        "numSolverIterations": tuning.iterations,
        "numSubSteps": 0,
        "useSplitImpulse": int(tuning.split_impulse),
        "splitImpulsePenetrationThreshold": 0.0,
        "warmStartingFactor": tuning.warm_start,
        "frictionERP": tuning.friction_erp,
        "contactSlop": tuning.slop,
        "contactBreakingThreshold": tuning.breaking_threshold,
        "restitutionVelocityThreshold": tuning.restitution_speed / scale.length,
        "solverResidualThreshold": 1e-14,
        "deterministicOverlappingPairs": 1,
        "enableConeFriction": 1,
        "enableFileCaching": 0,
    }


def surface_settings(tuning: Tuning, rate: int, piece: Piece, is_fixed: bool) -> dict[str, float]:
    """For `changeDynamics`: friction, restitution, compliance; and that nothing damps a body in flight. rate: steps a
    second."""
    is_ball = any(part.kind == "sphere" for part in piece.parts)
    compliance: dict[str, float] = {}
    if not tuning.rigid:
        damping = tuning.damping * rate
        # a pair's stiffnesses in series and its dampings together: hence the four
        compliance = {
            "contactDamping": damping,
            "contactStiffness": 4.0 * damping * rate / tuning.relaxation,
        }
    return {
        "lateralFriction": factor_of(piece.material.friction),
        "restitution": factor_of(piece.material.restitution),
        "rollingFriction": tuning.rolling_ball if is_ball else 0.0,
        "spinningFriction": 0.0,
        "linearDamping": 0.0,
        "angularDamping": 0.0,
        # one of a pair is enough for an anchor, and a ball must not be anchored to the table
        "frictionAnchor": int(tuning.friction_anchor and not is_ball and not is_fixed),
        **compliance,
    }
