#include "schema/product_choice.h"

namespace transformeter {

void to_json(Json& json, const ProductChoice& choice) {
  const ProductSize& size = choice.size;
  Json uses = Json::array();
  for (const ProductUse& use : size.uses) uses.push_back({{"rows", use.rows}, {"what", use.what}});
  json = {{"inputs", size.inputs},       {"outputs", size.outputs},
          {"bias", size.has_bias},       {"fused", size.is_fused},
          {"threads", size.threads},     {"uses", std::move(uses)},
          {"precision", size.precision}, {"plain_weights", size.has_plain_weights},
          {"kernel", choice.kernel},     {"steady", choice.is_steady},
          {"tried_at", choice.tried_at}};
  add_times(choice.trials, json);
}

void from_json(const Json& json, ProductChoice& choice) {
  choice = {};
  ProductSize& size = choice.size;
  json.at("inputs").get_to(size.inputs);
  json.at("outputs").get_to(size.outputs);
  json.at("bias").get_to(size.has_bias);
  json.at("fused").get_to(size.is_fused);
  json.at("threads").get_to(size.threads);
  for (const Json& use : json.at("uses")) {
    size.uses.push_back({use.at("rows").get<std::int64_t>(), use.at("what").get<std::string>()});
  }
  json.at("precision").get_to(size.precision);
  json.at("plain_weights").get_to(size.has_plain_weights);
  json.at("kernel").get_to(choice.kernel);
  for (const auto& [name, seconds] : json.at("seconds").items()) {
    choice.trials.push_back({name, seconds.get<double>(), ""});
  }
  for (const auto& [name, why] : json.at("refused").items()) choice.trials.push_back({name, 0, why.get<std::string>()});
  json.at("steady").get_to(choice.is_steady);
  json.at("tried_at").get_to(choice.tried_at);
}

}  // namespace transformeter
