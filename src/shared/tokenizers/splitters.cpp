// A text is first seen as stretches that match or do not, one behind the other; the behaviour then joins or drops them.
#include "tokenizers/splitters.h"

#include "tokenizers/bert_characters.h"
#include "tokenizers/text_characters.h"
#include "tokenizers/utf8.h"

namespace transformeter {
namespace {

struct Stretch {
  TextSpan span;
  bool matches = false;
};

void append_piece(TextSpan span, std::vector<TextSpan>& pieces) {
  if (span.end > span.begin) pieces.push_back(span);
}

// Neighbours that are alike become one piece.
void join_alike(const std::vector<Stretch>& stretches, std::vector<TextSpan>& pieces) {
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (i > 0 && stretches[i].matches == stretches[i - 1].matches) {
      pieces.back().end = stretches[i].span.end;
    } else {
      pieces.push_back(stretches[i].span);
    }
  }
}

// A match joins what stands before it, unless that is a match too.
void join_previous(const std::vector<Stretch>& stretches, std::vector<TextSpan>& pieces) {
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (i > 0 && stretches[i].matches && !stretches[i - 1].matches) {
      pieces.back().end = stretches[i].span.end;
    } else {
      pieces.push_back(stretches[i].span);
    }
  }
}

// A match joins what stands behind it, unless that is a match too.
void join_next(const std::vector<Stretch>& stretches, std::vector<TextSpan>& pieces) {
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (i > 0 && stretches[i - 1].matches && !stretches[i].matches) {
      pieces.back().end = stretches[i].span.end;
    } else {
      pieces.push_back(stretches[i].span);
    }
  }
}

void apply(SplitBehavior behavior, const std::vector<Stretch>& stretches, std::vector<TextSpan>& pieces) {
  std::vector<TextSpan> joined;
  if (behavior == SplitBehavior::kContiguous) join_alike(stretches, joined);
  if (behavior == SplitBehavior::kMergedWithPrevious) join_previous(stretches, joined);
  if (behavior == SplitBehavior::kMergedWithNext) join_next(stretches, joined);
  for (const Stretch& stretch : stretches) {
    const bool kept = behavior == SplitBehavior::kIsolated || (behavior == SplitBehavior::kRemoved && !stretch.matches);
    if (kept) joined.push_back(stretch.span);
  }
  for (const TextSpan span : joined) append_piece(span, pieces);
}

enum class WordKind { kSpace, kWord, kOther };

WordKind word_kind(char32_t c) {
  if (is_rust_word(c)) return WordKind::kWord;
  return is_bert_space(c) ? WordKind::kSpace : WordKind::kOther;
}

}  // namespace

void RegexSplitter::do_split(std::string_view text, std::vector<TextSpan>& pieces) const {
  std::vector<Stretch> stretches;
  std::size_t done = 0;
  for (const TextSpan match : pattern_.find_all(text)) {
    if (match.begin > done) stretches.push_back({{done, match.begin}, invert_});
    stretches.push_back({match, !invert_});
    done = match.end;
  }
  if (done < text.size()) stretches.push_back({{done, text.size()}, invert_});
  apply(behavior_, stretches, pieces);
}

void CharacterSplitter::do_split(std::string_view text, std::vector<TextSpan>& pieces) const {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    const bool matches = matches_(next_code_point(text, i));
    if (!matches && !stretches.empty() && !stretches.back().matches) {
      stretches.back().span.end = i;
    } else {
      stretches.push_back({{begin, i}, matches});
    }
  }
  apply(behavior_, stretches, pieces);
}

WhitespaceRemover::WhitespaceRemover() : CharacterSplitter(is_bert_space, SplitBehavior::kRemoved) {}

void FixedLengthSplitter::do_split(std::string_view text, std::vector<TextSpan>& pieces) const {
  std::size_t characters = 0;  // of the last piece
  for (std::size_t i = 0; i < text.size();) {
    if (characters == 0) pieces.push_back({i, i});
    i += character_size(text, i);
    pieces.back().end = i;
    characters = (characters + 1) % length_;
  }
}

void WhitespaceSplitter::do_split(std::string_view text, std::vector<TextSpan>& pieces) const {
  WordKind last = WordKind::kSpace;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    const WordKind kind = word_kind(next_code_point(text, i));
    if (kind != WordKind::kSpace) {
      if (kind == last) {
        pieces.back().end = i;
      } else {
        pieces.push_back({begin, i});
      }
    }
    last = kind;
  }
}

}  // namespace transformeter
