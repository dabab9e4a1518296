// An explorer: the data of its place are its fields.
/** @type {any} */
export const Explorer = class {
  host;

  constructor(host, name) {
    Object.assign(this, JSON.parse(host.dataset[name]), { host });
  }

  // What stands in its place; from now on it answers.
  live(...parts) {
    if (parts.length) this.host.replaceChildren(...parts);
    this.host.dataset.live = "true";
  }
};
