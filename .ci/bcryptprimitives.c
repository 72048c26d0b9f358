// bcryptprimitives.dll for wine 8, which lacks it. Go's runtime takes random bytes from its ProcessPrng.
#include <windows.h>

BOOLEAN WINAPI SystemFunction036(void *bytes, ULONG size); // RtlGenRandom of advapi32.dll

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *bytes, SIZE_T size) {
	return SystemFunction036(bytes, (ULONG)size);
}
