// latin1.cu - a file in Latin-1: the comments hold bytes that are no UTF-8
//
// Die Bytes der Umlaute müssen bleiben, wie sie sind. Das Programm sucht in
// jeder Reihe den Wert, der am häufigsten ist (der Größe nach gezählt).
//
// expect-striped: anzahl
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <vector>

#define KLASSEN 20
#define FADEN 64 /* Fäden je Block */

#ifdef BANKSTRIPE_SMALL
#define REIHEN 320
#else
#define REIHEN (FADEN * 5000)
#endif

__global__ void modalwert(const float *werte, int laenge, float grenze, int *ergebnis) {
  const int reihe = blockIdx.x * FADEN + threadIdx.x;

  int anzahl[KLASSEN]; /* je Größenklasse */
  for (int k = 0; k < KLASSEN; ++k) anzahl[k] = 0;

  for (int i = 0; i < laenge; ++i) {
    const float wert = werte[reihe + i * REIHEN];
    if (wert >= grenze)
      continue; // Ausreißer zählen nicht
    const int klasse = static_cast<int>(wert * KLASSEN / grenze);
    ++anzahl[klasse];
  }

  int beste = 0;
  for (int k = 1; k < KLASSEN; ++k)
    if (anzahl[k] > anzahl[beste])
      beste = k;
  ergebnis[reihe] = beste * 1000 + anzahl[beste];
}

int main() {
  const int laenge = 80;
  std::vector<float> werte(static_cast<size_t>(REIHEN) * laenge);
  unsigned zustand = 17;
  for (float &wert : werte) {
    zustand = zustand * 1664525u + 1013904223u;
    wert = static_cast<float>((zustand >> 20) % 101 + (zustand >> 8) % 31);
  }

  float *dWerte;
  int *dErgebnis;
  cudaMalloc(&dWerte, werte.size() * sizeof(float));
  cudaMalloc(&dErgebnis, REIHEN * sizeof(int));
  cudaMemcpy(dWerte, werte.data(), werte.size() * sizeof(float), cudaMemcpyHostToDevice);

  modalwert<<<REIHEN / FADEN, FADEN>>>(dWerte, laenge, 120.0f, dErgebnis);

  std::vector<int> ergebnis(REIHEN);
  const cudaError_t status = cudaMemcpy(ergebnis.data(), dErgebnis,
                                        REIHEN * sizeof(int), cudaMemcpyDeviceToHost);
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return 1;
  }
  cudaFree(dWerte);
  cudaFree(dErgebnis);
  unsigned long long summe = 14695981039346656037ull;
  for (int wert : ergebnis)
    summe = (summe ^ static_cast<unsigned>(wert)) * 1099511628211ull;
  std::printf("modalwerte %016llx\n", summe);
  return 0;
}
