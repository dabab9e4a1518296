// The engine in a worker: questions have answers, a race tells its steps.
import { fresh } from "./propagation.js";
import { run } from "./training.js";

addEventListener("message", ({ data }) => {
  const { number, questions } = data;
  if (questions) postMessage({ number, answers: questions.map(fresh) });
  else run(data, (news) => postMessage(news));
});
