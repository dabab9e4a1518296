// The explorers in a notebook: an ES module as anywidget loads it. What a cell
// shows is the page's own markup, and the page's own scripts bring it to life.
import "./widget.css";
import { tellWords } from "./charts.js";
import { WITH_ENGINE } from "./computing.js";

export default {
  render({ model, el }) {
    tellWords({ link: "CSV" });
    el.classList.add("preact-widget", "bd-article");
    el.innerHTML = model.get("markup");
    for (const [place, make] of Object.entries(WITH_ENGINE)) {
      for (const host of el.querySelectorAll(`.${place}`)) make(host);
    }
  },
};
