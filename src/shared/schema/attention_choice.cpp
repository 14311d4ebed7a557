#include "schema/attention_choice.h"

namespace transformeter {

void to_json(Json& json, const AttentionChoice& choice) {
  const AttentionKind& kind = choice.kind;
  json = {{"queries", kind.queries}, {"keys", kind.keys},       {"mask", kind.has_mask},     {"causal", kind.is_causal},
          {"threads", kind.threads}, {"kernel", choice.kernel}, {"steady", choice.is_steady}};
  add_times(choice.trials, json);
}

}  // namespace transformeter
