// What one thread needs while it encodes and would else allocate for every text: buffers and the words seen before.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tokenizers/merge_table.h"
#include "tokenizers/text_span.h"
#include "tokenizers/word_cache.h"

namespace transformeter {

struct EncodeScratch {
  WordCache words;
  std::string text;      // normalised
  std::string prefixed;  // with a blank in front
  std::vector<TextSpan> pieces;
  std::array<WordKey, 32> keys;  // of pieces that are looked for at once
  std::vector<BpeSymbol> symbols;
};

/// Lends each caller a scratch that nobody else uses at the time. Safe to call from several threads.
class ScratchPool {
 public:
  class Lease {
   public:
    Lease(ScratchPool& pool, std::unique_ptr<EncodeScratch> scratch) : pool_(pool), scratch_(std::move(scratch)) {}
    ~Lease() { pool_.give_back(std::move(scratch_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    EncodeScratch& operator*() const { return *scratch_; }

   private:
    ScratchPool& pool_;
    std::unique_ptr<EncodeScratch> scratch_;
  };

  Lease take();

 private:
  void give_back(std::unique_ptr<EncodeScratch> scratch);

  std::mutex mutex_;
  std::vector<std::unique_ptr<EncodeScratch>> idle_;
};

}  // namespace transformeter
