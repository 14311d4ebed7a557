// Numbers that may be missing are null.
#include "session/training_progress.h"

#include <utility>

namespace transformeter {

Json to_json(const TrainingProgress& progress) {
  Json scale;
  if (progress.loss_scale) {
    scale = {{"value", progress.loss_scale->value()}, {"good_steps", progress.loss_scale->good_steps()}};
  }
  return {{"micro_batches", progress.micro_batches},
          {"best", progress.best ? Json(*progress.best) : Json()},
          {"best_step", progress.best_step},
          {"worse", progress.worse},
          {"is_over", progress.is_over},
          {"last_evaluation", progress.last_evaluation},
          {"last_loss", progress.last_loss},
          {"loss_scale", std::move(scale)}};
}

TrainingProgress training_progress_from_json(const Json& json) {
  TrainingProgress progress;
  json.at("micro_batches").get_to(progress.micro_batches);
  if (const Json& best = json.at("best"); !best.is_null()) progress.best = best.get<double>();
  json.at("best_step").get_to(progress.best_step);
  json.at("worse").get_to(progress.worse);
  json.at("is_over").get_to(progress.is_over);
  progress.last_evaluation = json.at("last_evaluation");
  json.at("last_loss").get_to(progress.last_loss);
  if (const Json& scale = json.at("loss_scale"); !scale.is_null()) {
    progress.loss_scale.emplace(scale.at("value").get<double>(), scale.at("good_steps").get<std::int64_t>());
  }
  return progress;
}

}  // namespace transformeter
