// The engine in a worker: questions have answers, a training tells its steps.
import { fresh } from "./propagation.js";
import { train } from "./training.js";

addEventListener("message", ({ data }) => {
  const { number, questions } = data;
  if (questions) postMessage({ number, answers: questions.map(fresh) });
  else train(data, (news) => postMessage(news));
});
