"""How far one's own hand in a page is behind the pointer, and by how much it jumps when the server answers: the page's
own hand, its line and the server's hand played through picture by picture, whatever else the machine does."""

from __future__ import annotations

from chromium import Opened

PLAYED = """({ late, obstacle, edge }) => {
    // two hands by the same rules: one's own, and the server's, which hears and answers late
    const Grip = teeter.view.hand.grip.constructor, start = [0, 0, 0.05, 0, 0, 0, 1], dt = 1 / 60, speed = 0.2;
    const own = new Grip(0, false, start, 0), far = new Grip(0, false, start, 0);
    const path = t => { const s = ((speed * t) % 0.8); return s < 0.2 ? s : s < 0.6 ? 0.4 - s : s - 0.8; };
    const asked = [], said = [], truths = [];
    let [behind, jump, last, turned] = [0, 0, null, 0];
    for (let k = 1; k < 600; ++k) {
        const t = k * dt, x = path(t), by = x - path(t - dt);
        asked.push([t + late, own.want(by, 0), x]);
        while (asked.length && asked[0][0] <= t) {
            const [, number, place] = asked.shift(), to = Math.max(-edge, Math.min(edge, place));
            far.answer = [to, 0, 0.05 + (Math.abs(to) > 0.1 ? obstacle : 0), 0, 0, 0, 1];
            said.push([t + late, { number, goal: far.answer, turned: 0, slots: [] }]);
        }
        far.follow(far.goal, dt);
        truths.push([t + late, [...far.own]]);
        while (said.length && said[0][0] <= t) own.hear(said.shift()[1]);
        while (truths.length > 1 && truths[1][0] <= t) truths.shift();
        const truth = truths[0][0] <= t ? truths[0][1] : start, { pose } = own.shown(truth, 2 * late, dt);
        if (last) jump = Math.max(jump, Math.hypot(...[0, 1, 2].map(i => pose[i] - last[i])) - Math.abs(by));
        last = pose;
        // where the pointer was when it was there: not right after it turned, where that says nothing
        turned = Math.sign(path(t + dt) - x) === Math.sign(by) ? turned + dt : 0;
        if (turned > 0.25) behind = Math.max(behind, (1000 * Math.abs(x - pose[0])) / speed);
    }
    return [behind, 1000 * jump];
}"""


def lateness(tab: Opened, late: float, obstacle: float = 0.0, edge: float = 9.0) -> tuple[float, float]:
    """Milliseconds behind a pointer that goes 0.2 m/s, and millimetres of a jump in a sixtieth of a second.

    tab: a page with a piece in the hand. late: seconds, each way. obstacle: metres that the server lifts the piece over
    what the page does not know. edge: metres beyond which the server lets it go no further.
    """
    behind, jump = tab.run(PLAYED, {"late": late, "obstacle": obstacle, "edge": edge})
    return behind, jump
