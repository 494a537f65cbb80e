// Small plots. Every one says its numbers in words too.

const SVG = "http://www.w3.org/2000/svg";

function svg(name, attributes = {}, content = null) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (content !== null) element.append(document.createTextNode(String(content)));
    return element;
}

const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const WIDTH = 360;
const HEIGHT = 110;
const TOP = 18;

function canvas(label) {
    return svg("svg", { role: "img", "aria-label": label, viewBox: `0 0 ${WIDTH} ${TOP + HEIGHT + 20}`, width: WIDTH });
}

/** Bars with a name and a count each. */
export function bars(title, counts) {
    const told = counts.map(({ name, count }) => `${name}: ${count}`).join(", ");
    const plot = canvas(`${title}: ${told}`);
    const most = Math.max(...counts.map(({ count }) => count), 1);
    const step = WIDTH / Math.max(counts.length, 4);
    counts.forEach(({ name, count }, number) => {
        // Any count that is not 0 can be seen.
        const height = count === 0 ? 0 : Math.max(2, HEIGHT * count / most);
        const [x, y] = [number * step, TOP + HEIGHT - height];
        const bar = svg("rect", { x: x + 1.5, y, width: step - 3, height, rx: 2 });
        bar.append(svg("title", {}, `${name}: ${count}`));
        plot.append(bar);
        const middle = { x: x + step / 2, "text-anchor": "middle" };
        if (count > 0 && step >= 22) plot.append(svg("text", { ...middle, y: y - 4 }, short.format(count)));
        if (step >= 30 || number % 2 === 0) {
            plot.append(svg("text", { ...middle, y: TOP + HEIGHT + 15, class: "dim" }, name));
        }
    });
    plot.append(svg("line", { x1: 0, x2: step * counts.length, y1: TOP + HEIGHT, y2: TOP + HEIGHT, class: "axis" }));
    return plot;
}

/** A count over time: points with `x` and `y`, in order; `name` says an x in words. */
export function growth(title, points, name) {
    const [first, last] = [points[0], points[points.length - 1]];
    const plot = canvas(`${title}: ${first.y} at ${name(first.x)}, ${last.y} at ${name(last.x)}`);
    const most = Math.max(...points.map(({ y }) => y), 1);
    const span = Math.max(last.x - first.x, 1);
    const place = ({ x, y }) => [
        points.length === 1 ? WIDTH : WIDTH * (x - first.x) / span, TOP + HEIGHT - HEIGHT * y / most,
    ];
    // A step stays as high as it was until the next point.
    let path = `M0 ${TOP + HEIGHT}`;
    let [, before] = points.length === 1 ? place(first) : [0, TOP + HEIGHT];
    for (const point of points) {
        const [x, y] = place(point);
        path += ` L${x.toFixed(1)} ${before.toFixed(1)} L${x.toFixed(1)} ${y.toFixed(1)}`;
        before = y;
    }
    plot.append(svg("path", { d: `${path} L${WIDTH} ${TOP + HEIGHT} Z`, class: "area" }));
    plot.append(svg("text", { x: WIDTH, y: 12, "text-anchor": "end" }, short.format(last.y)));
    plot.append(svg("line", { x1: 0, x2: WIDTH, y1: TOP + HEIGHT, y2: TOP + HEIGHT, class: "axis" }));
    plot.append(svg("text", { x: 0, y: TOP + HEIGHT + 15, class: "dim" }, name(first.x)));
    plot.append(svg("text", { x: WIDTH, y: TOP + HEIGHT + 15, "text-anchor": "end", class: "dim" }, name(last.x)));
    return plot;
}
