// Read from the tokenizer's arrangement of one text.
#include "datasets/row_frame.h"

namespace transformeter {

RowFrame row_frame(const Tokenizer& tokenizer) {
  RowFrame frame;
  std::vector<std::int32_t>* side = &frame.before;
  for (const ArrangementPart& part : tokenizer.traits().arrangement.single) {
    if (part.kind == ArrangementPart::Kind::kSpecial) {
      side->push_back(part.id);
    } else {
      side = &frame.after;
    }
  }
  const SpecialTokens special = tokenizer.special_tokens();
  frame.pad = special.pad.value_or(special.eos.value_or(0));
  return frame;
}

RowFrame open_row_frame(const Tokenizer& tokenizer) {
  RowFrame frame = row_frame(tokenizer);
  frame.after.clear();
  return frame;
}

}  // namespace transformeter
