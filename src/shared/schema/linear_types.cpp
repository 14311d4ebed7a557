// The JSON form, which results.schema.json declares.
#include "schema/linear_types.h"

namespace transformeter {

void to_json(Json& json, const LinearType& type) {
  json = {{"input", type.input},  {"weight", type.weight}, {"small", type.may_stay},
          {"kept", type.is_kept}, {"count", type.count},   {"flop_share", type.flop_share}};
}

void from_json(const Json& json, LinearType& type) {
  json.at("input").get_to(type.input);
  json.at("weight").get_to(type.weight);
  json.at("small").get_to(type.may_stay);
  type.is_kept = json.value("kept", false);  // earlier versions did not tell it
  json.at("count").get_to(type.count);
  json.at("flop_share").get_to(type.flop_share);
}

}  // namespace transformeter
