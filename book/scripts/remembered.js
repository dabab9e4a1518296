// What this browser keeps under a key, or, with a value, keep that. A page opened
// as a file, or a private window, may refuse to: it works all the same.
export function remembered(key, value) {
  try {
    if (value === undefined) return JSON.parse(localStorage.getItem(key));
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    /* nothing is remembered */
  }
  return null;
}

// Change what the page's own address asks for, likewise.
export function changeQuery(change) {
  const address = new URL(location.href);
  change(address.searchParams);
  try {
    history.replaceState(history.state, "", address);
  } catch {
    /* the address stays */
  }
}

// Go to another view of the same page, as a link would; whether that can be done.
export function visit(address) {
  try {
    if (address !== location.href) history.pushState(null, "", address);
    return true;
  } catch {
    return false;
  }
}
