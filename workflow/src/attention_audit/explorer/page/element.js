// Elements of the page. What the data say becomes text, never markup.

/**
 * An element by the name of its tag and, behind dots, its classes. Attributes may follow, with listeners under `on` and
 * style properties under `style`; then its children, of which strings become text.
 */
export function element(name, ...children) {
  const [tag, ...classes] = name.split(".");
  const attributes = children[0]?.constructor === Object ? children.shift() : {};
  const made = document.createElement(tag);
  made.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      Object.entries(value).forEach(([event, listener]) => made.addEventListener(event, listener));
    } else if (name === "style") {
      Object.entries(value).forEach(([property, text]) => made.style.setProperty(property, text));
    } else if (value === true) {
      made.setAttribute(name, "");
    } else if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(name, value);
    }
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** The element of the page with an id. */
export function named(id) {
  return document.getElementById(id);
}

/** Replace the options of a select by pairs of value and label, and choose one. */
export function offer(select, pairs, chosen) {
  select.replaceChildren(...pairs.map(([value, label]) => element("option", { value }, label)));
  select.value = chosen ?? "";
}

/** A word as a node; characters that turn the direction of writing turn no other word's. */
export function isolated(word) {
  return /[\u202a-\u202e\u2066-\u2069]/.test(word) ? element("bdi", word) : document.createTextNode(word);
}
